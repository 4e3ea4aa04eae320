import { startProcess } from '../start-process.ts'
import { HsmFault } from './hsm-fault.ts'
import type { HsmAnswer, HsmQuestion, HsmRequest } from './hsm-messages.ts'

/** A process with a module; useless after a timeout or its exit. */
export interface HsmLink {
  /** @throws HsmFault, or HsmSilence if there is no answer. */
  ask: (request: HsmRequest, maxMs: number) => Promise<Uint8Array[]>
  end: () => void
  hasEnded: () => boolean
  pid: number | undefined
}

export class HsmSilence extends Error {
  override readonly name = 'HsmSilence'
}

interface Waiting {
  resolve: (results: Uint8Array[]) => void
  reject: (error: Error) => void
}

export function openLink(env: Record<string, string>): HsmLink {
  const child = startProcess(new URL('./hsm-process.ts', import.meta.url), env)
  const waiting = new Map<number, Waiting>()
  let ended = false
  let last = 0
  // While idle it does not keep the parent process alive.
  child.unref()
  child.channel?.unref()

  const settle = (id: number): Waiting | undefined => {
    const found = waiting.get(id)
    waiting.delete(id)
    if (waiting.size === 0) child.channel?.unref()
    return found
  }
  const end = () => {
    if (ended) return
    ended = true
    child.kill('SIGKILL')
    for (const id of waiting.keys())
      settle(id)?.reject(new HsmFault('lost', 'the process of the module ended'))
  }
  child.on('exit', end)
  child.on('error', end)
  child.on('disconnect', end)
  child.on('message', (message: HsmAnswer) => {
    const found = settle(message.id)
    if ('results' in message) return found?.resolve(message.results)
    const { kind, detail } = message.fault
    found?.reject(new HsmFault(kind, detail))
  })

  return {
    pid: child.pid,
    hasEnded: () => ended,
    end,
    ask: (request, maxMs) =>
      new Promise((resolve, reject) => {
        if (ended) return reject(new HsmFault('lost', 'the process of the module ended'))
        const id = ++last
        const timer = setTimeout(() => {
          settle(id)
          reject(new HsmSilence())
          end()
        }, maxMs)
        const done =
          <Value>(settled: (value: Value) => void) =>
          (value: Value) => {
            clearTimeout(timer)
            settled(value)
          }
        waiting.set(id, { resolve: done(resolve), reject: done(reject) })
        child.channel?.ref()
        child.send({ id, request } satisfies HsmQuestion, (error) => {
          if (error) end()
        })
      }),
  }
}
