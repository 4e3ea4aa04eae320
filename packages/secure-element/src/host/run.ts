import { type Command, type Response, encodeResponse } from '../apdu.ts'
import { DecodeError } from '../decode-error.ts'
import { joinGetStatus, parseGetStatus, type RegistryEntry } from '../get-status.ts'
import { parseStatusRecords } from '../status-records.ts'
import type { NewKey } from '../keys/encrypt-key.ts'
import type { SecureChannel } from '../secure-channel/channel.ts'
import { CommandError } from './command-error.ts'
import { getStatus, type StatusSubset } from './commands.ts'
import { installForLoad } from './install.ts'
import { load, type DapSignature } from './load.ts'
import { checkPutKeyReply, putKey } from './put-key.ts'

/** Sends one command, through a secure channel or plain. */
export type Send = (command: Command) => Promise<Response>

const success = 0x9000
const moreData = 0x6310
const nothingFound = 0x6a88
const maxReplies = 256

/** Sends a command that must succeed. */
export async function run(send: Send, command: Command): Promise<Uint8Array> {
  const { data, statusWord } = await send(command)
  if (statusWord !== success) throw new CommandError('refused', { command, statusWord })
  return data
}

/** Answers of cards that do not know P2 `02`: wrong parameters, or wrong data. */
const unknownFormat = new Set([0x6a86, 0x6a80])

/**
 * Reads one subset of the registry, over as many replies as needed; as records from cards before
 * GlobalPlatform 2.2. Most cards answer `6A88` for an empty subset.
 */
export async function readRegistry(send: Send, subset: StatusSubset): Promise<RegistryEntry[]> {
  const first = await send(getStatus({ subset }))
  const asRecords = unknownFormat.has(first.statusWord)
  const replies: Uint8Array[] = []
  let command = getStatus({ subset, asRecords })
  let reply = asRecords ? await send(command) : first
  while (replies.length < maxReplies) {
    const { statusWord } = reply
    if (statusWord === nothingFound && replies.length === 0) return []
    if (statusWord !== success && statusWord !== moreData)
      throw new CommandError('refused', { command, statusWord })
    replies.push(encodeResponse(reply))
    if (statusWord === success) return entriesOf(replies, subset, command, asRecords)
    command = getStatus({ subset, asRecords, isNext: true })
    reply = await send(command)
  }
  throw new CommandError('endlessReply', { command })
}

function entriesOf(
  replies: Uint8Array[],
  subset: StatusSubset,
  command: Command,
  asRecords: boolean,
) {
  const hasModules = subset === 'loadFilesAndModules'
  const asked = hasModules ? 'loadFiles' : subset
  try {
    const bytes = joinGetStatus(replies)
    return asRecords
      ? parseStatusRecords(bytes, asked, hasModules)
      : parseGetStatus(bytes, asked).entries
  } catch (cause) {
    if (cause instanceof DecodeError) throw new CommandError('malformedReply', { command, cause })
    throw cause
  }
}

/**
 * Loads a package: INSTALL [for load], then LOAD block by block. Returns the reply to the last block,
 * which may be a receipt.
 */
export async function loadPackage(
  channel: Pick<SecureChannel, 'send' | 'longestData'>,
  {
    code,
    signatures,
    onBlock,
    ...install
  }: Parameters<typeof installForLoad>[0] & {
    code: Uint8Array
    signatures?: readonly DapSignature[]
    onBlock?: (sent: number, all: number) => void
  },
): Promise<Uint8Array> {
  // A file that needs too many blocks is refused before anything is sent.
  const blocks = load({ code, blockSize: channel.longestData, ...(signatures && { signatures }) })
  await run(channel.send, installForLoad(install))
  let reply: Uint8Array = new Uint8Array()
  for (const [index, block] of blocks.entries()) {
    reply = await run(channel.send, block)
    onBlock?.(index + 1, blocks.length)
  }
  return reply
}

/**
 * Sends new keys once and verifies the check values in the reply. After any error but `refused`, the
 * card may have stored the keys: try to open a channel with them to find out.
 */
export async function putKeys(
  channel: Pick<SecureChannel, 'send' | 'encryptKeys'>,
  {
    keys,
    ...place
  }: { version: number; replaces?: number; firstId?: number; keys: readonly NewKey[] },
): Promise<void> {
  const blocks = await channel.encryptKeys(keys)
  const command = putKey({ ...place, keys: blocks })
  const reply = await run(channel.send, command)
  const check = checkPutKeyReply(reply, place.version, blocks)
  if (check.kind === 'missing') throw new CommandError('missingKeyCheckValue', { command })
  if (check.kind === 'different')
    throw new CommandError('wrongKeyCheckValue', { command, ...check })
}
