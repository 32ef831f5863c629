// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the two programs of scripts/machine.sh say to each other over a TCP
// connection. The client, on this machine, asks the agent, in the emulated
// machine, to run one command. The connection carries frames in both
// directions: two 32-bit numbers in little-endian order, kind and size, and
// then `size` bytes.
#pragma once

#include <cerrno>
#include <cstdint>
#include <endian.h>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace wire {

enum Kind : uint32_t {
  // The client's frames.
  Start,    // the command, as `encode` of a Command
  Input,    // bytes of standard input; an answer to Want
  InputEnd, // standard input has ended; an answer to Want
  Signal,   // one byte: the number of a signal for the command's process group
  OutputClosed, // one byte: 1 or 2, a stream that nobody reads any more
  // The agent's frames.
  Want,   // the command has read its standard input so far
  Output, // bytes of standard output
  Errors, // bytes of standard error
  Ended,  // the wait status, as a decimal number
};

// No frame is larger. A command's environment and arguments are at most a
// quarter of the stack's limit, execve(2), which is 2 MiB by default.
constexpr uint32_t kMostBytes = 16 << 20;
constexpr size_t kChunk = 64 << 10;

struct Command {
  std::string token; // known to those who may run commands
  std::string folder;
  bool oneStream = false; // standard error is the same file as standard output
  std::vector<std::string> variables, arguments;
};

struct Frame {
  uint32_t kind = 0;
  std::string data;
};

// Returns false if the other end has gone.
inline bool writeAll(int fd, std::string_view data) {
  while (!data.empty()) {
    ssize_t n = write(fd, data.data(), data.size());
    if (n < 0 && errno != EINTR)
      return false;
    if (n > 0)
      data.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

inline bool readAll(int fd, char *to, size_t size) {
  while (size != 0) {
    ssize_t n = read(fd, to, size);
    if (n == 0 || (n < 0 && errno != EINTR))
      return false;
    if (n > 0)
      to += n, size -= static_cast<size_t>(n);
  }
  return true;
}

inline bool send(int fd, uint32_t kind, std::string_view data) {
  uint32_t head[2] = {htole32(kind),
                      htole32(static_cast<uint32_t>(data.size()))};
  std::string frame(reinterpret_cast<const char *>(head), sizeof head);
  frame += data;
  return writeAll(fd, frame);
}

inline bool receive(int fd, Frame &frame) {
  uint32_t head[2];
  if (!readAll(fd, reinterpret_cast<char *>(head), sizeof head) ||
      le32toh(head[1]) > kMostBytes)
    return false;
  frame.kind = le32toh(head[0]);
  frame.data.resize(le32toh(head[1]));
  return readAll(fd, frame.data.data(), frame.data.size());
}

// A command as strings, each with a null byte at its end.
inline std::string encode(const Command &command) {
  std::string text;
  auto add = [&](std::string_view part) { text.append(part).push_back('\0'); };
  add(command.token);
  add(command.folder);
  add(command.oneStream ? "1" : "0");
  add(std::to_string(command.variables.size()));
  for (const std::string &variable : command.variables)
    add(variable);
  for (const std::string &argument : command.arguments)
    add(argument);
  return text;
}

inline bool decode(std::string_view text, Command &command) {
  std::vector<std::string> parts;
  for (size_t end; (end = text.find('\0')) != std::string_view::npos;
       text.remove_prefix(end + 1))
    parts.emplace_back(text.substr(0, end));
  if (parts.size() < 5 || !text.empty() || parts[3].empty() ||
      parts[3].size() > 8 ||
      parts[3].find_first_not_of("0123456789") != std::string::npos)
    return false;
  size_t variables = std::stoul(parts[3]);
  if (variables > parts.size() - 5) // at least one argument, the program
    return false;
  command.token = parts[0];
  command.folder = parts[1];
  command.oneStream = parts[2] == "1";
  auto middle = parts.begin() + 4 + static_cast<std::ptrdiff_t>(variables);
  command.variables.assign(parts.begin() + 4, middle);
  command.arguments.assign(middle, parts.end());
  return true;
}

} // namespace wire
