// The work that threads do with the C and C++ libraries while their functions are probed, and a check of the
// results. Wrong results are counted, and the first five are named.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>

static std::atomic<int> wrong;

static void expect(bool right, const char *what) {
  if (!right && wrong++ < 5)
    printf("wrong: %s\n", what);
}

static int depth(int left) {
  std::string kept(20 + left, 'x'); // has a destructor, which an exception runs
  if (!left)
    throw std::runtime_error(kept);
  return depth(left - 1) + static_cast<int>(kept.size());
}

static void throwThrough(int calls) {
  try {
    expect(depth(calls) < 0, "return in place of an exception");
  } catch (const std::runtime_error &error) {
    expect(strlen(error.what()) == 20, "what()");
  }
}

static int compare(const void *a, const void *b) { return *static_cast<const int *>(a) - *static_cast<const int *>(b); }

static void sortAndFormat(std::minstd_rand &random) {
  int numbers[48];
  long sum = 0;
  for (int &number : numbers)
    sum += number = static_cast<int>(random() % 100000);
  qsort(numbers, 48, sizeof *numbers, compare);
  std::map<std::string, double> shown;
  for (int number : numbers)
    shown[std::to_string(number)] = number / 7.0;
  std::ostringstream out;
  for (int number : numbers)
    out << number << ' ';
  std::istringstream in(out.str());
  int last = -1;
  for (int number; in >> number; last = number) {
    expect(last <= number, "qsort");
    sum -= number;
  }
  expect(sum == 0, "streams");
  for (auto &[text, value] : shown) {
    char buffer[64];
    snprintf(buffer, sizeof buffer, "%.17g", value);
    expect(strtod(buffer, nullptr) == value && std::stoi(text) / 7.0 == value, "snprintf and strtod");
  }
}
