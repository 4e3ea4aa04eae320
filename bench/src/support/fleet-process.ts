import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { root, typeScriptFlags } from '../../../scripts/workspace.mjs'
import type { FleetMessage, FleetOrder, FleetReport } from './agent-fleet.ts'
import type { BenchContext } from './bench-context.ts'
import { childEnvironment, processorTimeOf } from './server-process.ts'

/** Processes of the agents: their cost is not the gateway's. */
export function startFleet(
  bench: BenchContext,
  url: string,
  {
    count,
    mqtt,
    processes = 2,
    perSecond = 400,
  }: { count: number; mqtt?: string; processes?: number; perSecond?: number },
) {
  const reports = new Map<ChildProcess, FleetReport>()
  const changes = new Map<number, number>()
  const commands = new Map<string, number>()
  const share = Math.ceil(count / processes)
  const children = Array.from({ length: processes }, (_, place) => {
    const from = place * share
    const own = Math.min(share, count - from)
    const given = [url, from, own, perSecond / processes, ...(mqtt === undefined ? [] : [mqtt])]
    const child = fork(join(root, 'bench/src/support/agent-fleet.ts'), given.map(String), {
      cwd: root,
      env: childEnvironment({}),
      execArgv: typeScriptFlags(),
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    child.on('message', (message: FleetMessage) => {
      if ('report' in message) reports.set(child, message.report)
      else if ('changed' in message) changes.set(message.changed, message.at)
      else commands.set(message.command, message.at)
    })
    return child
  })
  const sum = (name: keyof FleetReport) =>
    [...reports.values()].reduce((total, report) => total + report[name], 0)
  const stop = async () => {
    for (const child of children) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
  }
  bench.atEnd(stop)

  /** Polls a condition. @throws after five minutes. */
  async function until(what: string, isSo: () => boolean): Promise<number> {
    const start = performance.now()
    while (!isSo()) {
      if (performance.now() - start > 300_000)
        throw new Error(
          `${what} took too long: ${sum('connected')} connected, ${sum('waiting')} waiting.`,
        )
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    return performance.now() - start
  }
  return {
    sum,
    /** When each device was told to leave. */
    changes,
    /** When each command reached its device. */
    commands,
    stop,
    /** CPU time of all agents so far, in ms. */
    async processorTime() {
      const times = await Promise.all(children.map(({ pid }) => processorTimeOf(pid)))
      return times.reduce<number>((sum, each) => sum + (each ?? Number.NaN), 0)
    },
    order: (order: FleetOrder) => {
      for (const child of children) child.send(order)
    },
    until,
    allConnected: () => until('Connecting', () => sum('connected') === count),
    allGone: () => until('Losing the gateway', () => sum('connected') === 0),
    /** Everything sent is acknowledged. */
    allStored: () => until('Storing', () => reports.size === processes && sum('waiting') === 0),
  }
}
