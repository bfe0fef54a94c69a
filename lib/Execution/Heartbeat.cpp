//===- Heartbeat.cpp - a sign of life of opaque work ------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The thread sleeps on a condition, so that short work does not wait for it.
///
//===----------------------------------------------------------------------===//

#include "Heartbeat.h"

using namespace delta;

Heartbeat::Heartbeat(std::string label)
    : line(std::move(label)), thread([this] { beat(); }) {}

Heartbeat::~Heartbeat() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    done = true;
  }
  ended.notify_one();
  thread.join();
}

void Heartbeat::beat() {
  std::unique_lock<std::mutex> lock(mutex);
  while (!ended.wait_for(lock, std::chrono::milliseconds(500),
                         [this] { return done; }))
    line.tick();
}
