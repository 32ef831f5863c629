// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Process 1 of the emulated machine (scripts/machine.sh). It listens on a TCP
// port and runs one command for each connection, in a process group of its own.
// The streams, the signals and the wait status go through the connection
// (wire.h). If the client goes away, the command's process group is killed.
//
// usage: agent ADDRESS PORT TOKEN_FILE
//        Port 0 is any free port. The first line of output says "agent: ready
//        PORT".
#include "wire.h"

#include <arpa/inet.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace {

std::vector<char *> pointers(std::vector<std::string> &strings) {
  std::vector<char *> result;
  for (std::string &string : strings)
    result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

// Becomes the command. The exit codes of failures are those of a shell: 127 and
// 126.
[[noreturn]] void execute(wire::Command &command, int in, int out, int errors) {
  setpgid(0, 0);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGCHLD, SIG_DFL);
  dup2(in, 0);
  dup2(out, 1);
  dup2(errors, 2);
  umask(022);
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none); // a core file would go to the shared folder
  if (chdir(command.folder.c_str()) != 0) {
    dprintf(2,
            "machine: the emulated machine has no folder %s: %s; it sees the "
            "source and the build folder, and those of --share\n",
            command.folder.c_str(), strerror(errno));
    _exit(126);
  }
  std::vector<char *> arguments = pointers(command.arguments),
                      variables = pointers(command.variables);
  environ = variables.data(); // execvpe looks for the program in this PATH
  execvpe(arguments[0], arguments.data(), variables.data());
  int error = errno;
  dprintf(2, "machine: cannot run %s: %s\n", arguments[0], strerror(error));
  _exit(error == ENOENT ? 127 : 126);
}

// One command and its connection.
class Session {
public:
  Session(int connection, wire::Command command)
      : connection_(connection), command_(std::move(command)) {}

  // Returns after the command has ended and nobody holds its output open, as a
  // shell that reads a pipe does.
  void run() {
    start();
    while (!ended_ || out_ >= 0 || errors_ >= 0)
      step();
    wire::send(connection_, wire::Ended, std::to_string(status_));
  }

private:
  void start() {
    int in[2], out[2], errors[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 ||
        pipe2(errors, O_CLOEXEC) != 0)
      _exit(1);
    process_ = fork();
    if (process_ == 0)
      execute(command_, in[0], out[1], command_.oneStream ? out[1] : errors[1]);
    if (process_ < 0)
      _exit(1);
    setpgid(process_, process_); // both sides, as either may be first
    close(in[0]), close(out[1]), close(errors[1]);
    in_ = in[1], out_ = out[0], errors_ = errors[0];
    fcntl(in_, F_SETFL, O_NONBLOCK);
    // Readable once the command has ended, pidfd_open(2).
    handle_ = static_cast<int>(syscall(SYS_pidfd_open, process_, 0));
    say(wire::Want, "");
  }

  void step() {
    pollfd files[] = {{connection_, POLLIN, 0},
                      {out_, POLLIN, 0},
                      {errors_, POLLIN, 0},
                      {input_.empty() ? -1 : in_, POLLOUT, 0},
                      {ended_ ? -1 : handle_, POLLIN, 0}};
    if (poll(files, 5, -1) < 0)
      return;
    if (files[4].revents != 0 &&
        waitpid(process_, &status_, WNOHANG) == process_)
      ended_ = true;
    if (files[1].revents != 0)
      forward(out_, wire::Output);
    if (files[2].revents != 0)
      forward(errors_, wire::Errors);
    if (files[0].revents != 0)
      obey();
    if (files[3].revents != 0)
      feed();
  }

  void forward(int &from, wire::Kind kind) {
    char buffer[wire::kChunk];
    ssize_t n = read(from, buffer, sizeof buffer);
    if (n > 0)
      say(kind, {buffer, static_cast<size_t>(n)});
    else
      shut(from);
  }

  void obey() {
    wire::Frame frame;
    if (!wire::receive(connection_, frame))
      abandon();
    bool one = frame.data.size() == 1;
    if (frame.kind == wire::Input && in_ >= 0)
      input_ += frame.data;
    else if (frame.kind == wire::InputEnd)
      shut(in_);
    else if (frame.kind == wire::Signal && one && !ended_)
      kill(-process_, frame.data[0]);
    else if (frame.kind == wire::OutputClosed && one)
      shut(frame.data[0] == 1 ? out_ : errors_);
  }

  // Hands input to the command, and asks for more when it has taken all.
  void feed() {
    ssize_t n = write(in_, input_.data(), input_.size());
    if (n > 0)
      input_.erase(0, static_cast<size_t>(n));
    else if (n < 0 && errno != EAGAIN && errno != EINTR)
      shut(in_), input_.clear();
    if (input_.empty() && in_ >= 0)
      say(wire::Want, "");
  }

  void say(wire::Kind kind, std::string_view data) {
    if (!wire::send(connection_, kind, data))
      abandon();
  }

  [[noreturn]] void abandon() {
    kill(-process_, SIGKILL);
    _exit(1);
  }

  static void shut(int &file) {
    if (file >= 0)
      close(file);
    file = -1;
  }

  int connection_;
  wire::Command command_;
  pid_t process_ = -1;
  int in_ = -1, out_ = -1, errors_ = -1, handle_ = -1;
  std::string input_; // not yet written to the command
  bool ended_ = false;
  int status_ = 0;
};

// In a process of its own.
[[noreturn]] void serve(int connection, const std::string &token) {
  signal(SIGCHLD, SIG_DFL);
  signal(SIGPIPE, SIG_IGN);
  wire::Frame frame;
  wire::Command command;
  if (!wire::receive(connection, frame) || frame.kind != wire::Start ||
      !wire::decode(frame.data, command) || command.token != token)
    _exit(1);
  Session(connection, std::move(command)).run();
  // The client closes first, so that the last frame cannot be lost by a reset.
  shutdown(connection, SHUT_WR);
  for (char rest[256]; read(connection, rest, sizeof rest) > 0;) {
  }
  _exit(0);
}

std::string readLine(const char *path) {
  char line[256] = "";
  FILE *file = fopen(path, "re");
  if (file == nullptr || fgets(line, sizeof line, file) == nullptr) {
    fprintf(stderr, "agent: no token in %s\n", path);
    exit(1);
  }
  fclose(file);
  line[strcspn(line, "\n")] = '\0';
  return line;
}

int listenAt(const char *address, const char *port) {
  int socketFile = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
  setsockopt(socketFile, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(static_cast<uint16_t>(atoi(port)));
  inet_pton(AF_INET, address, &at.sin_addr);
  socklen_t size = sizeof at;
  if (bind(socketFile, reinterpret_cast<sockaddr *>(&at), size) != 0 ||
      listen(socketFile, 64) != 0 ||
      getsockname(socketFile, reinterpret_cast<sockaddr *>(&at), &size) != 0) {
    fprintf(stderr, "agent: cannot listen at %s, port %s: %s\n", address, port,
            strerror(errno));
    exit(1);
  }
  printf("agent: ready %d\n", ntohs(at.sin_port));
  fflush(stdout);
  return socketFile;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: agent ADDRESS PORT TOKEN_FILE\n");
    return 2;
  }
  std::string token = readLine(argv[3]);
  setsid();
  // The kernel reaps the children, also those that process 1 inherits.
  signal(SIGCHLD, SIG_IGN);
  int door = listenAt(argv[1], argv[2]);
  for (;;) {
    int connection = accept4(door, nullptr, nullptr, SOCK_CLOEXEC), on = 1;
    if (connection < 0)
      continue;
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (fork() == 0) {
      close(door);
      serve(connection, token);
    }
    close(connection);
  }
}
