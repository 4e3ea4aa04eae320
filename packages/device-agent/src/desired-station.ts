import type { ToDevice } from '@grove/device-protocol/message'

export type Desired = Extract<ToDevice, { t: 'desired' }>

export interface DesiredAnswer {
  version: number
  /** The reported state, of the keys that were accepted. */
  d: Record<string, unknown>
  /** Why the others were refused. */
  refused?: Record<string, string>
}

interface Options {
  /** Applies one key of the desired state; an error is the reason for refusing it. */
  apply: (key: string, value: unknown) => void
  answer: (answer: DesiredAnswer) => void
}

/** Applies the desired state key by key, and drops one that is older than the last. */
export function desiredStation({ apply, answer }: Options) {
  let last = 0
  return ({ version, d }: Desired): void => {
    if (version <= last) return
    last = version
    const taken: [string, unknown][] = []
    const refused: [string, string][] = []
    for (const [key, value] of Object.entries(d)) {
      try {
        apply(key, value)
        taken.push([key, value])
      } catch (error) {
        refused.push([key, error instanceof Error ? error.message : String(error)])
      }
    }
    answer({
      version,
      d: Object.fromEntries(taken),
      ...(refused.length > 0 && { refused: Object.fromEntries(refused) }),
    })
  }
}
