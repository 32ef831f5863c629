// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a command in the emulated machine (scripts/machine.sh) as if it ran
// here: in this folder, with this environment and these streams. It ends as the
// command ended, with the same exit code or by the same signal, and passes on
// the signals that it gets.
//
// usage: client STATE_FOLDER [-E NAME=VALUE]... COMMAND [ARGUMENT]...
//        -E sets a variable for the command alone, as qemu-user's option does.
// The exit code is 125 if the machine cannot be reached.
#include "wire.h"

#include <arpa/inet.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

namespace {

[[noreturn]] void die(const std::string &what) {
  fprintf(stderr, "machine: %s\n", what.c_str());
  exit(125);
}

std::string firstLine(const std::string &path) {
  std::string line;
  std::ifstream file(path);
  if (!std::getline(file, line))
    die("the emulated machine does not run (no file " + path +
        "); 'scripts/machine.sh PROCESSOR start' starts it");
  return line;
}

bool startsWith(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

// This machine's folders of programs, of temporary files and of Python mean
// nothing there.
bool isOfThisMachine(std::string_view variable) {
  for (std::string_view start :
       {"PATH=", "PYTHON", "TMPDIR=", "TMP=", "TEMP=", "LD_LIBRARY_PATH="})
    if (startsWith(variable, start))
      return true;
  return false;
}

wire::Command readCommand(int argc, char **argv) {
  wire::Command command;
  command.token = firstLine(std::string(argv[1]) + "/token");
  char folder[4096];
  if (getcwd(folder, sizeof folder) == nullptr)
    die(std::string("no present folder: ") + strerror(errno));
  command.folder = folder;
  struct stat out{}, errors{};
  command.oneStream = fstat(1, &out) == 0 && fstat(2, &errors) == 0 &&
                      out.st_dev == errors.st_dev &&
                      out.st_ino == errors.st_ino;
  command.variables.emplace_back(
      "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
  for (char **variable = environ; *variable != nullptr; variable++)
    if (!isOfThisMachine(*variable))
      command.variables.emplace_back(*variable);
  int at = 2;
  for (; at + 1 < argc && strcmp(argv[at], "-E") == 0; at += 2)
    command.variables.emplace_back(argv[at + 1]);
  command.arguments.assign(argv + at, argv + argc);
  if (command.arguments.empty())
    die("no command to run");
  return command;
}

int connectTo(const std::string &state) {
  int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port =
      htons(static_cast<uint16_t>(atoi(firstLine(state + "/port").c_str())));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(file, reinterpret_cast<sockaddr *>(&to), sizeof to) != 0)
    die(std::string("the emulated machine does not answer: ") +
        strerror(errno));
  setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return file;
}

// Signals arrive as bytes of this pipe.
int signalPipe[2];

void onSignal(int number) {
  int error = errno;
  char byte = static_cast<char>(number);
  (void)!write(signalPipe[1], &byte, 1);
  errno = error;
}

void catchSignals() {
  if (pipe2(signalPipe, O_CLOEXEC | O_NONBLOCK) != 0)
    die(strerror(errno));
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) {
    struct sigaction action{};
    sigaction(number, nullptr, &action);
    if (action.sa_handler == SIG_IGN) // as nohup sets it
      continue;
    action.sa_handler = onSignal;
    sigaction(number, &action, nullptr);
  }
  signal(SIGPIPE, SIG_IGN);
}

[[noreturn]] void endAs(int status) {
  if (WIFEXITED(status))
    _exit(WEXITSTATUS(status));
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none); // it is not this program that crashed
  signal(WTERMSIG(status), SIG_DFL);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, WTERMSIG(status));
  sigprocmask(SIG_UNBLOCK, &one, nullptr);
  raise(WTERMSIG(status));
  _exit(128 + WTERMSIG(status));
}

void sendInput(int connection) {
  char buffer[wire::kChunk];
  ssize_t n = read(0, buffer, sizeof buffer);
  if (n > 0)
    wire::send(connection, wire::Input, {buffer, static_cast<size_t>(n)});
  else
    wire::send(connection, wire::InputEnd, "");
}

void obey(int connection, bool &wanted) {
  wire::Frame frame;
  if (!wire::receive(connection, frame))
    die("the emulated machine went away during the command, or did not accept "
        "it");
  if (frame.kind == wire::Ended)
    endAs(atoi(frame.data.c_str()));
  if (frame.kind == wire::Want)
    wanted = true;
  if (frame.kind == wire::Output || frame.kind == wire::Errors) {
    int to = frame.kind == wire::Output ? 1 : 2;
    if (!wire::writeAll(
            to, frame.data)) // as head does: the command then gets SIGPIPE
      wire::send(connection, wire::OutputClosed, {to == 1 ? "\1" : "\2", 1});
  }
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: client STATE_FOLDER [-E NAME=VALUE]... COMMAND "
                    "[ARGUMENT]...\n");
    return 125;
  }
  wire::Command command = readCommand(argc, argv);
  catchSignals();
  int connection = connectTo(argv[1]);
  if (!wire::send(connection, wire::Start, wire::encode(command)))
    die("the emulated machine did not accept the command");
  for (bool wanted = false;;) {
    pollfd files[] = {{connection, POLLIN, 0},
                      {wanted ? 0 : -1, POLLIN, 0},
                      {signalPipe[0], POLLIN, 0}};
    if (poll(files, 3, -1) < 0)
      continue;
    char number;
    if (files[2].revents != 0 && read(signalPipe[0], &number, 1) == 1)
      wire::send(connection, wire::Signal, {&number, 1});
    if (files[1].revents != 0) {
      wanted = false;
      sendInput(connection);
    }
    if (files[0].revents != 0)
      obey(connection, wanted);
  }
}
