#include "test/doubles/cuda/Double.h"

#include <algorithm>
#include <atomic>
#include <set>

namespace froe::doubles {

namespace {

/// The work that waits until `recorded` is done.
Work waitWork(std::shared_ptr<Recorded> recorded) {
  return [recorded] { recorded->wait(); };
}

} // namespace

void Recorded::finish() {
  std::lock_guard lock(mutex);
  done = true;
  time = std::chrono::steady_clock::now();
  changed.notify_all();
}

void Recorded::wait() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return done; });
}

void delay(std::mt19937_64 &random) {
  static const int64_t longest = setting("FROE_DOUBLE_DELAY", 0);
  if (longest > 0)
    std::this_thread::sleep_for(std::chrono::microseconds(random() % uint64_t(longest + 1)));
}

StreamState::StreamState() {
  static std::atomic<uint64_t> count{0};
  random.seed(uint64_t(setting("FROE_DOUBLE_SEED", 1)) * 1000 + count++);
  thread = std::thread([this] { work(); });
}

StreamState::~StreamState() {
  {
    std::lock_guard lock(mutex);
    stopping = true;
    changed.notify_all();
  }
  thread.join();
}

void StreamState::work() {
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock, [&] { return !queue.empty() || stopping; });
    if (queue.empty())
      return;
    std::vector<Work> taken;
    taken.swap(queue);
    running = taken.size();
    lock.unlock();
    for (Work &one : taken) {
      delay(random);
      one();
    }
    lock.lock();
    running = 0;
    changed.notify_all();
  }
}

int StreamState::lane() const {
  auto found = std::ranges::find(capture->lanes, this);
  return int(found - capture->lanes.begin());
}

void StreamState::enqueue(Work work) {
  if (capture) {
    int own = lane();
    capture->nodes.push_back({std::move(work), own, capture->ends[size_t(own)]});
    capture->ends[size_t(own)] = {capture->nodes.size() - 1};
    return;
  }
  static const auto most = size_t(setting("FROE_DOUBLE_QUEUE", 1000));
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return queue.size() + running < most; });
  queue.push_back(std::move(work));
  changed.notify_all();
}

void StreamState::record(EventState &event) {
  event.capture = capture;
  event.recorded = nullptr;
  if (capture) {
    event.nodes = capture->ends[size_t(lane())];
    return;
  }
  event.recorded = std::make_shared<Recorded>();
  enqueue([recorded = event.recorded] { recorded->finish(); });
}

bool StreamState::waitFor(EventState &event) {
  if (event.capture && !capture) { // this stream joins the capture
    capture = event.capture;
    capture->lanes.push_back(this);
    capture->ends.push_back(event.nodes);
    return true;
  }
  if (capture) {
    if (capture != event.capture)
      return false; // work outside of the graph
    std::vector<size_t> &ends = capture->ends[size_t(lane())];
    ends.insert(ends.end(), event.nodes.begin(), event.nodes.end());
    return true;
  }
  if (!event.recorded)
    alarm("a stream waits for an event that was never recorded");
  enqueue(waitWork(event.recorded));
  return true;
}

bool StreamState::idle() {
  std::lock_guard lock(mutex);
  return queue.empty() && running == 0;
}

void StreamState::synchronize() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return queue.empty() && running == 0; });
}

bool isJoined(const GraphState &graph) {
  std::set<size_t> before;
  std::vector<size_t> open = graph.ends[0];
  while (!open.empty()) {
    size_t node = open.back();
    open.pop_back();
    if (before.insert(node).second)
      open.insert(open.end(), graph.nodes[node].after.begin(), graph.nodes[node].after.end());
  }
  return before.size() == graph.nodes.size();
}

void replay(const GraphState &graph, uint64_t seed) {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<bool> done(graph.nodes.size());
  auto runLane = [&](size_t lane) {
    std::mt19937_64 random(seed + lane);
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      const Node &node = graph.nodes[i];
      if (size_t(node.lane) != lane)
        continue;
      {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return std::ranges::all_of(node.after, [&](size_t n) { return bool(done[n]); }); });
      }
      delay(random);
      node.work();
      std::lock_guard lock(mutex);
      done[i] = true;
      changed.notify_all();
    }
  };
  std::vector<std::thread> threads;
  for (size_t lane = 1; lane < graph.lanes.size(); ++lane)
    threads.emplace_back(runLane, lane);
  runLane(0);
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace froe::doubles
