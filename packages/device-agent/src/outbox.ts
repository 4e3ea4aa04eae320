import type { StoredKind, StoredMessage } from '@grove/device-protocol/message'
import { newBoot, type Journal } from './journal.ts'

/** What is kept while offline; beyond it the oldest messages are dropped. */
const maxKept = 1000

/** Messages of one boot that are not stored yet, in order. */
export interface Outbox {
  boot: string
  /** `more` holds the fields of the kind besides its data. */
  add: (kind: StoredKind, d: unknown, ts: number, more?: object) => number
  /** Those to send now, within the window. */
  take: () => StoredMessage[]
  acked: (seq: number) => void
  /** The platform will never store this one. */
  drop: (seq: number) => void
  /** The lowest number that is still to be sent. */
  next: () => number
  /**
   * After reconnecting: everything above `seq` is resent. Returns false if the platform has more of
   * this boot than we know, as after restoring an old disk image: another boot began, and needs a new
   * connection.
   */
  resume: (seq: number, window: number) => boolean
  /** No connection, or one that accepts nothing yet. */
  hold: () => void
  size: () => number
}

/** With a journal, pending messages survive a power cut, and their boot continues. */
export function openOutbox(boot: string = newBoot(), journal?: Journal): Outbox {
  if (journal) ({ boot } = journal)
  let kept: StoredMessage[] = [...(journal?.messages ?? [])].slice(-maxKept)
  let last = journal?.last ?? 0
  let acked = (kept[0]?.seq ?? last + 1) - 1
  /** The last one sent over this connection. */
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
      // Dropped messages count as sent too.
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
