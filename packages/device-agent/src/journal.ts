import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import type { StoredMessage } from '@grove/device-protocol/message'
import { readText, replaceFile } from './durable-file.ts'

/** Durable storage of pending messages. */
export interface Journal {
  /** What was recovered: a boot to continue, its last number, and the unacknowledged messages. */
  boot: string
  last: number
  messages: readonly StoredMessage[]
  /** Written soon, in batches; `storedUpTo` tells when. */
  append: (message: StoredMessage) => void
  /** The last durable number: nothing above it may be sent. */
  storedUpTo: () => number
  /** The messages left after acknowledgements; the file is compacted when that pays off. */
  trim: (messages: readonly StoredMessage[]) => void
  /** Starts another boot with these messages. */
  restart: (boot: string, messages: readonly StoredMessage[]) => void
  /** No write is in progress any more. */
  settled: () => Promise<void>
}

/** Minimum size for compacting a file. */
const shrinkAbove = 256 * 1024

export const newBoot = (): string => randomBytes(8).toString('hex')

/**
 * A file of lines with checksums: the boot, then messages. One `fdatasync` covers everything that
 * arrived while the last one ran. A line torn by a power cut was never sent, and is ignored.
 * @param onStored more may be sent.
 * @param onTrouble the disk fails: from now on messages are only in memory.
 */
export function openJournal(
  file: string,
  onStored: () => void,
  onTrouble: (error: Error) => void,
): Journal {
  const found = readJournal(file)
  let { boot } = found
  let size = 0
  let live = found.messages
  let isGone = false
  let pending = ''
  let highest = found.last
  let stored = found.last
  let running: Promise<void> | undefined

  /**
   * The number before the first message is stored too, so that a boot without messages keeps its
   * place.
   */
  function rewrite(last: number) {
    const text = [line({ boot, last }), ...live.map(line)].join('')
    replaceFile(file, text)
    size = Buffer.byteLength(text)
  }

  function giveUp(error: unknown) {
    isGone = true
    // If the file stayed, the next start would reuse numbers that were sent meanwhile.
    rmSync(file, { force: true })
    onTrouble(error instanceof Error ? error : new Error(String(error)))
  }

  async function work() {
    // Messages added in the same tick are written together.
    await Promise.resolve()
    try {
      for (let next = pending; next !== ''; next = isGone ? '' : pending) {
        const [upTo, of] = [highest, boot]
        pending = ''
        const handle = await open(file, 'a', 0o600)
        try {
          await handle.write(next)
          await handle.datasync()
        } finally {
          await handle.close()
        }
        size += Buffer.byteLength(next)
        // Another boot began meanwhile, with other numbers.
        if (boot === of) stored = upTo
        onStored()
      }
    } catch (error) {
      giveUp(error)
      onStored()
    } finally {
      running = undefined
    }
  }

  function tryTo(write: () => void) {
    try {
      write()
    } catch (error) {
      giveUp(error)
    }
  }

  const settled = async (): Promise<void> => {
    if (!running) return
    await running
    return settled()
  }

  tryTo(() => rewrite(found.last))
  return {
    boot,
    last: found.last,
    messages: found.messages,
    append(message) {
      if (isGone) return
      highest = message.seq
      pending += line(message)
      running ??= work()
    },
    storedUpTo: () => (isGone ? Infinity : stored),
    trim(messages) {
      live = messages
      if (isGone || running || size < shrinkAbove) return
      const left = messages.reduce((sum, each) => sum + line(each).length, 0)
      if (size > 4 * left) tryTo(() => rewrite(highest))
    },
    restart(next, messages) {
      if (isGone) return
      boot = next
      live = messages
      highest = messages.at(-1)?.seq ?? 0
      stored = highest
      pending = ''
      tryTo(() => rewrite(highest))
    },
    settled,
  }
}

const line = (value: object): string => {
  const text = JSON.stringify(value)
  return `${crc32(text).toString(16).padStart(8, '0')} ${text}\n`
}

/** The values of complete lines. */
function* valuesOf(text: string): Generator {
  for (const each of text.split('\n')) {
    const [sum, json] = [each.slice(0, 8), each.slice(9)]
    if (json !== '' && crc32(json).toString(16).padStart(8, '0') === sum) yield JSON.parse(json)
  }
}

function readJournal(file: string): Pick<Journal, 'boot' | 'last' | 'messages'> {
  const values = [...valuesOf(readText(file))] as ({ boot: string; last: number } | StoredMessage)[]
  const [first] = values
  // Without its first line, the last number is unknown.
  if (!first || !('last' in first)) return { boot: newBoot(), last: 0, messages: [] }
  const { boot } = first
  let { last } = first
  const messages: StoredMessage[] = []
  for (const each of values) {
    if (!('seq' in each) || each.boot !== boot || each.seq <= (messages.at(-1)?.seq ?? 0)) continue
    messages.push(each)
    last = Math.max(last, each.seq)
  }
  return { boot, last, messages }
}
