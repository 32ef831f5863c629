// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small shop that sells 60 orders, for docs/howto/questions.md: two threads
// take the orders from a queue. The numbers are the same in each run, so each
// answer can be checked.
//     tp-clang++ -ftp-entry=2,0 -ftp-exit -O1 -g -pthread orders.cpp -o orders
// Any C++ compiler will do, without sleds. An argument is how many times it
// sells the orders.
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <errno.h>
#include <fcntl.h>
#include <mutex>
#include <string>
#include <thread>
#include <tprt/trace.h>
#include <unistd.h>
#include <vector>

#define OUTLINE __attribute__((noinline))

TPRT_POINT(order_sold);

enum class Mode { Fast, Slow };

struct Order {
  int number;
  Mode mode;
  unsigned long size;
  std::string user;
  double price;
};

namespace shop {
constexpr int orders = 60;
int stock = 1000;
std::mutex lock;
std::condition_variable more;
std::deque<Order *> queue;
} // namespace shop

// 6 of 60 fail.
OUTLINE int parse(const char *text, unsigned long size, Order *order,
                  Mode mode) {
  order->size = size;
  order->mode = mode;
  order->user = order->number % 3 ? "alice" : "bob";
  return order->number % 10 ? static_cast<int>(strlen(text)) : -1;
}

OUTLINE double price(double base, int count) {
  __asm__ volatile("" : : : "memory");
  return base * count;
}

// 6 of 60 files are not found.
OUTLINE bool look(int number) {
  const int file =
      open(number % 10 ? "/etc/passwd" : "/etc/no-such-file", O_RDONLY);
  if (file < 0)
    return false;
  char bytes[64];
  const bool found = read(file, bytes, number % 2 ? 16 : 64) > 0;
  close(file);
  return found;
}

OUTLINE void *prepare(unsigned long bytes) {
  void *memory = malloc(bytes);
  memset(memory, 1, bytes);
  return memory;
}

OUTLINE void render(Order *order) {
  void *page = prepare(order->number % 2 ? 3000 : 100);
  if (order->mode == Mode::Slow)
    usleep(20000); // 3 of 60
  free(page);
}

OUTLINE void handle(Order *order) {
  char text[64];
  snprintf(text, sizeof text, "GET /item/%d", order->number % 4);
  parse(text, order->number < 30 ? 100 : 5000, order,
        order->number % 20 ? Mode::Fast : Mode::Slow);
  order->price = price(order->number / 4.0, 2);
  look(order->number);
  render(order);
  TPRT_TRACE(order_sold, "number=%d price=%f", order->number, order->price);
}

// 10 of 60 are never freed.
OUTLINE void keep(int number) {
  static std::vector<void *> kept;
  if (number % 6 == 0)
    kept.push_back(prepare(777));
}

OUTLINE void enqueue(Order *order) {
  std::lock_guard<std::mutex> hold(shop::lock);
  shop::queue.push_back(order);
  shop::more.notify_one();
}

OUTLINE void dequeue(Order *order) { --shop::stock, keep(order->number); }

static void work() {
  for (int i = 0; i < shop::orders / 2; ++i) {
    std::unique_lock<std::mutex> hold(shop::lock);
    shop::more.wait(hold, [] { return !shop::queue.empty(); });
    Order *order = shop::queue.front();
    shop::queue.pop_front();
    dequeue(order);
    hold.unlock();
    handle(order);
  }
}

static void sell() {
  std::vector<Order> orders(shop::orders);
  std::thread first(work), second(work);
  for (int i = 0; i < shop::orders; ++i) {
    Order &order = orders[static_cast<size_t>(i)];
    order.number = i;
    enqueue(&order);
  }
  first.join();
  second.join();
}

int main(int count, char **arguments) {
  for (int rounds = count > 1 ? atoi(arguments[1]) : 1; rounds > 0; --rounds)
    sell();
}
