/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A search tree: each visited node is traced with its fields.
 */
#include "points/ways.h"

#include <stddef.h>

DECLARE(node_passed);
DECLARE(search_done);

typedef struct node {
  struct node *left, *right;
  int key;
  const char *name;
} node;

enum { NODES = 1023, SEARCHES = 1600000 };
static node nodes[NODES];

static node *build(int low, int high) {
  if (low > high)
    return 0;
  int middle = (low + high) / 2;
  nodes[middle] = (node){build(low, middle - 1), build(middle + 1, high), middle, "a node"};
  return &nodes[middle];
}

__attribute__((noinline)) const node *search(const node *at, int key, unsigned *passed) {
  unsigned depth = 0;
  while (at && at->key != key) {
    TRACE(node_passed, "key=%d left=%p right=%p name=%s depth=%u", at->key, (void *)at->left,
          (void *)at->right, at->name, depth);
    at = key < at->key ? at->left : at->right;
    ++depth;
  }
  TRACE(search_done, "key=%d depth=%u", key, depth);
  *passed += depth + 1;
  return at;
}

uint64_t work(void) {
  node *root = build(0, NODES - 1);
  unsigned passed = 0;
  int sum = 0;
  for (int i = 0; i < SEARCHES; ++i)
    sum += search(root, i * 37 % NODES, &passed)->key;
  __asm__ volatile("" ::"r"(sum));
  return passed;
}
