import { readHex, toHex } from '@grove/secure-element/bytes'
import type { FromDevice, ToDevice } from '@grove/device-protocol/message'

/** A secure element of the device. */
export interface OfferedElement {
  cplc: string
  transmit: (command: Uint8Array) => Promise<Uint8Array>
  /** As when its power is cut. */
  reset: () => void
}

/** Each element is one session’s alone, from its first command until the session or connection ends. */
export function elementStation(
  elements: readonly OfferedElement[],
  send: (message: FromDevice) => void,
) {
  const taken = new Map<string, string>()
  let turn: Promise<unknown> = Promise.resolve()

  async function exchange({
    id,
    session,
    isFirst,
    cplc,
    data,
  }: Extract<ToDevice, { t: 'exchange' }>): Promise<void> {
    const element = elements.find((each) => each.cplc === cplc)
    if (element && isFirst) {
      element.reset()
      taken.set(cplc, session)
    }
    if (!element || taken.get(cplc) !== session) return send({ t: 'failed', id, code: 'absent' })
    try {
      send({ t: 'reply', id, data: toHex(await element.transmit(readHex(data))) })
    } catch {
      send({ t: 'failed', id, code: 'lost' })
    }
  }
  const release = (session?: string) => {
    for (const [cplc, holder] of taken) {
      if (session !== undefined && holder !== session) continue
      taken.delete(cplc)
      elements.find((each) => each.cplc === cplc)?.reset()
    }
  }
  return {
    exchange: (message: Extract<ToDevice, { t: 'exchange' }>) => {
      turn = turn.then(() => exchange(message))
    },
    end: (session?: string) => {
      turn = turn.then(() => release(session))
    },
  }
}
