// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file that compile_ratio_cxx compiles. The file uses the standard
// library's containers, algorithms and streams, instantiated for many types.

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

template <int N> struct Key {
  int Number = N;
  std::string Text = std::to_string(N);
  bool operator<(const Key &Other) const {
    return std::tie(Number, Text) < std::tie(Other.Number, Other.Text);
  }
  bool operator==(const Key &Other) const {
    return Number == Other.Number && Text == Other.Text;
  }
};

template <int N> struct std::hash<Key<N>> {
  size_t operator()(const Key<N> &K) const {
    return std::hash<std::string>()(K.Text) * 31 + K.Number;
  }
};

template <int N> class Store {
public:
  using Value = std::variant<int, double, std::string, Key<N>>;

  void put(Key<N> K, Value V) {
    Index.emplace(K, Values.size());
    Sorted.insert(K);
    ByKey[K] = Values.size();
    Values.push_back(std::move(V));
  }

  std::optional<Value> get(const Key<N> &K) const {
    auto Found = Index.find(K);
    return Found == Index.end() ? std::nullopt
                                : std::optional<Value>(Values[Found->second]);
  }

  std::string print() const {
    std::ostringstream Out;
    for (const auto &[K, Place] : ByKey)
      std::visit([&](const auto &V) { show(Out, K, V); }, Values[Place]);
    return Out.str();
  }

  void sort() {
    std::stable_sort(Values.begin(), Values.end(),
                     [](auto &A, auto &B) { return A.index() < B.index(); });
  }

  double sum() const {
    return std::accumulate(Values.begin(), Values.end(), 0.0,
                           [](double Sum, const Value &V) {
                             const double *D = std::get_if<double>(&V);
                             return D ? Sum + *D : Sum;
                           });
  }

private:
  template <class T>
  static void show(std::ostream &Out, const Key<N> &K, const T &V) {
    Out << K.Text << '=' << V << '\n';
  }
  static void show(std::ostream &Out, const Key<N> &K, const Key<N> &V) {
    Out << K.Text << "->" << V.Text << '\n';
  }

  std::vector<Value> Values;
  std::unordered_map<Key<N>, size_t> Index;
  std::set<Key<N>> Sorted;
  std::map<Key<N>, size_t> ByKey;
};

template <int N> std::string work() {
  auto S = std::make_shared<Store<N>>();
  std::vector<std::function<void()>> Steps;
  for (int I = 0; I < N + 3; ++I)
    Steps.push_back([S, I] { S->put({I, "key"}, double(I)); });
  Steps.push_back([S] { S->put({}, Key<N>()); });
  for (auto &Step : Steps)
    Step();
  S->sort();
  std::string Text = S->print() + std::to_string(S->sum());
  return S->get({}) ? std::regex_replace(Text, std::regex("k(e+)y"), "$1")
                    : Text;
}

template <int... Ns> std::string all(std::integer_sequence<int, Ns...>) {
  return (work<Ns>() + ...);
}

std::string everything() { return all(std::make_integer_sequence<int, 12>()); }
