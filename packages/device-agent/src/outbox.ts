import type { StoredKind, StoredMessage } from '@grove/device-protocol/message'
import { newBoot, type Journal } from './journal.ts'

/** What is kept while there is no connection; beyond it the oldest is given up. */
const maxKept = 1000

/** Messages of one boot that are not stored yet, in their order. */
export interface Outbox {
  boot: string
  /** `more` is what the kind has besides its data. */
  add: (kind: StoredKind, d: unknown, ts: number, more?: object) => number
  /** Those to send now, as far as the window goes. */
  take: () => StoredMessage[]
  acked: (seq: number) => void
  /** The platform will never store this one. */
  drop: (seq: number) => void
  /** The lowest number that is still to be sent. */
  next: () => number
  /**
   * After a new connection: everything above `seq` goes out again. Answers false where the platform
   * has more of this boot than we know, as after an old copy of a disk: another boot began, and needs
   * a connection of its own.
   */
  resume: (seq: number, window: number) => boolean
  /** No connection, or one that takes nothing yet. */
  hold: () => void
  size: () => number
}

/** With a journal, what waits survives a power cut, and its boot continues. */
export function openOutbox(boot: string = newBoot(), journal?: Journal): Outbox {
  if (journal) ({ boot } = journal)
  let kept: StoredMessage[] = [...(journal?.messages ?? [])].slice(-maxKept)
  let last = journal?.last ?? 0
  let acked = (kept[0]?.seq ?? last + 1) - 1
  /** The last that went out over this connection. */
  let sent = 0
  let window = 0

  const forget = (seq: number) => {
    acked = Math.max(acked, Math.min(seq, last))
    kept = kept.filter((message) => message.seq > acked)
    journal?.trim(kept)
  }
  return {
    get boot() {
      return boot
    },
    add(t, d, ts, more = {}) {
      last++
      const message = { ...more, t, boot, seq: last, ts, d } as StoredMessage
      kept.push(message)
      if (kept.length > maxKept) kept.shift()
      journal?.append(message)
      return last
    },
    take() {
      const most = Math.min(acked + window, journal?.storedUpTo() ?? last)
      const found = kept.filter(({ seq }) => seq > sent && seq <= most)
      sent = found.at(-1)?.seq ?? sent
      return found
    },
    acked: forget,
    drop(seq) {
      kept = kept.filter((message) => message.seq !== seq)
      journal?.trim(kept)
    },
    next: () => kept[0]?.seq ?? last + 1,
    resume(seq, given) {
      if (seq > last) {
        boot = newBoot()
        kept = kept.map((message, index) => ({ ...message, boot, seq: index + 1 }))
        last = kept.length
        acked = 0
        window = 0
        journal?.restart(boot, kept)
        return false
      }
      forget(seq)
      // What was given up is behind us too.
      acked = Math.max(acked, (kept[0]?.seq ?? last + 1) - 1)
      sent = acked
      window = given
      return true
    },
    hold() {
      window = 0
    },
    size: () => kept.length,
  }
}
