/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Starts the server of points_server.c:
 *
 *     ./points_server /tmp/socket listens there until it is killed
 *     ./points_server                      talks to itself, as a test
 *
 * In the test, two connections send requests while a third connection turns points on
 * and off. */
#include "points_server.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void *serve_one(void *connection) {
  serve((int)(intptr_t)connection);
  return NULL;
}

static int listen_at(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (strlen(path) >= sizeof address.sun_path) {
    fprintf(stderr, "%s: longer than a socket's path may be\n", path);
    return 1;
  }
  strcpy(address.sun_path, path);
  if (server < 0 || bind(server, (struct sockaddr *)&address, sizeof address) || listen(server, 16)) {
    perror(path);
    return 1;
  }
  for (;;) {
    int connection = accept(server, NULL, NULL);
    pthread_t thread;
    if (connection >= 0 && pthread_create(&thread, NULL, serve_one, (void *)(intptr_t)connection) == 0)
      pthread_detach(thread);
  }
}

/* --- the test --- */

enum { kRequests = 2000 };

static FILE *connect_to_self(pthread_t *thread) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || pthread_create(thread, NULL, serve_one, (void *)(intptr_t)ends[1]))
    abort();
  FILE *file = fdopen(ends[0], "r+");
  setvbuf(file, NULL, _IONBF, 0);
  return file;
}

/* Sends one line and returns the answer. */
static const char *ask(FILE *server, const char *line, char answer[256]) {
  fprintf(server, "%s\n", line);
  if (!fgets(answer, 256, server))
    abort();
  return answer;
}

static void *send_requests(void *unused) {
  pthread_t thread;
  char line[64], answer[256];
  FILE *server = connect_to_self(&thread);
  for (int i = 0; i < kRequests; ++i) {
    snprintf(line, sizeof line, i % 4 ? "GET key%d" : "PUT key%d value%d", i / 4 % 8, i);
    if (strcmp(ask(server, line, answer), "ERROR\n") == 0)
      abort();
  }
  fprintf(server, "QUIT\n");
  pthread_join(thread, NULL);
  fclose(server);
  return unused;
}

static int test(void) {
  pthread_t admin_thread, clients[2];
  char answer[256];
  FILE *admin = connect_to_self(&admin_thread);
  printf("%s", ask(admin, "COUNT request_done", answer));
  for (int i = 0; i < 2; ++i)
    pthread_create(&clients[i], NULL, send_requests, NULL);
  for (int i = 0; i < 50; ++i) { /* while the clients go on */
    ask(admin, "PRINT value_evicted", answer);
    ask(admin, "COUNT key_*", answer);
    ask(admin, "OFF", answer);
    ask(admin, "COUNT request_done", answer);
  }
  for (int i = 0; i < 2; ++i)
    pthread_join(clients[i], NULL);
  printf("%s", ask(admin, "OFF", answer));
  printf("%s", ask(admin, "COUNT *", answer));
  ask(admin, "PUT a 1", answer);
  ask(admin, "GET a", answer);
  ask(admin, "GET b", answer);
  printf("%s", ask(admin, "COUNTS", answer));
  printf("%s", ask(admin, "PRINT key_found", answer));
  printf("%s", ask(admin, "GET a", answer));
  printf("%s", ask(admin, "OFF", answer));
  fprintf(admin, "QUIT\n");
  pthread_join(admin_thread, NULL);
  fclose(admin);
  return 0;
}

int main(int argc, char **argv) { return argc > 1 ? listen_at(argv[1]) : test(); }
