import { readHex, toHex } from '@grove/secure-element/bytes'
import { PcscError } from '@grove/secure-element/pcsc/pcsc'
import type { FromDevice, ToDevice } from '@grove/device-protocol/message'

/** A secure element of the device. */
export interface OfferedElement {
  cplc: string
  /** Opens it exclusively for one session, as after a power cycle. @throws PcscError `inUse` */
  take: () => Promise<void>
  /** @throws PcscError `absent` if the command was not sent; after other errors this is unknown. */
  transmit: (command: Uint8Array) => Promise<Uint8Array>
  /** Resets and releases it for other programs. */
  release: () => Promise<void>
}

type Exchange = Extract<ToDevice, { t: 'exchange' }>
type Send = (message: FromDevice) => void

/**
 * Each element belongs to one session, from its first command until the session or connection ends.
 */
export function elementStation(offered: () => readonly OfferedElement[]) {
  const taken = new Map<string, { session: string; element: OfferedElement }>()
  /** One command at a time per element: a slow card does not block the others. */
  const turns = new Map<string, Promise<void>>()
  const inTurn = (cplc: string, work: () => Promise<void>) => {
    const turn = (turns.get(cplc) ?? Promise.resolve()).then(work).finally(() => {
      if (turns.get(cplc) === turn) turns.delete(cplc)
    })
    turns.set(cplc, turn)
  }

  async function release(cplc: string) {
    const held = taken.get(cplc)
    taken.delete(cplc)
    // The card may already have been removed.
    await held?.element.release().catch(() => {})
  }

  /** @throws PcscError `absent` if the session does not have the element. */
  async function take({ cplc, session, isFirst }: Exchange): Promise<OfferedElement> {
    const element = isFirst ? offered().find((each) => each.cplc === cplc) : undefined
    if (element) {
      await release(cplc)
      await element.take()
      taken.set(cplc, { session, element })
    }
    const held = taken.get(cplc)
    if (held?.session === session) return held.element
    throw new PcscError('absent', 'The session does not have this element')
  }

  async function exchange(message: Exchange): Promise<FromDevice> {
    const { id, cplc } = message
    let element: OfferedElement
    try {
      element = await take(message)
    } catch (error) {
      // Whatever failed: the command itself was not sent.
      const isInUse = error instanceof PcscError && error.code === 'inUse'
      return { t: 'failed', id, code: isInUse ? 'inUse' : 'absent' }
    }
    try {
      return { t: 'reply', id, data: toHex(await element.transmit(readHex(message.data))) }
    } catch (error) {
      await release(cplc)
      const isAbsent = error instanceof PcscError && error.code === 'absent'
      return { t: 'failed', id, code: isAbsent ? 'absent' : 'lost' }
    }
  }
  return {
    exchange: (message: Exchange, send: Send): void =>
      inTurn(message.cplc, async () => send(await exchange(message))),
    /** One session, or all. */
    end: (session?: string): void => {
      for (const cplc of new Set([...taken.keys(), ...turns.keys()]))
        inTurn(cplc, async () => {
          const held = taken.get(cplc)
          if (held && (session === undefined || held.session === session)) await release(cplc)
        })
    },
  }
}
