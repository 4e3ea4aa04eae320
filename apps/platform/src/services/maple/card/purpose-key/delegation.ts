import { parseCommand, type Command } from '@grove/secure-element/apdu'
import { readHex, toHex } from '@grove/secure-element/bytes'
import { DecodeError } from '@grove/secure-element/decode-error'
import { CommandError } from '@grove/secure-element/host/command-error'
import {
  isReceiptFor,
  isTokenCommand,
  parseReceipt,
  receiptSubject,
  tokenData,
  tokenFor,
} from '@grove/secure-element/host/delegation'
import type { RegistryEntry } from '@grove/secure-element/get-status'
import { readRegistry, type Send } from '@grove/secure-element/host/run'
import type { PrivilegeName } from '@grove/secure-element/privileges'
import type { KeyContext } from '../key/key-provider.ts'
import { signingKey } from './key-material.ts'
import { activePurposeKeys, type StoredPurposeKey } from './purpose-key.queries.ts'

/** What the card's reply proves about a command in the name of a domain. */
export interface Proof {
  code: 'receipt_valid' | 'receipt_wrong' | 'receipt_unchecked'
  /** `aid`, and for a valid receipt also its `counter`. */
  params: Record<string, string>
}

/** The powers of the domain whose channel is open, and the tokens that its commands need. */
export interface Delegation {
  /** Whether its commands need tokens. */
  isDelegated: boolean
  /** Whether it cannot manage contents at all, not even with tokens. */
  isUnable: boolean
  /** Undefined for a command that needs no token, and for one without a token. */
  tokenOf: (command: Command) => Uint8Array | undefined
  /** What the reply proves about a command, which is given without its token. */
  proofOf: (command: Command, reply: Uint8Array) => Proof | undefined
}

export type OpenedKey = Pick<StoredPurposeKey, 'purpose' | 'domain'> & {
  key: ReturnType<typeof signingKey>
}

/** Opens an element's keys; signing keys only if someone approved that Grove signs. */
export async function openPurposeKeys(
  { db, keys: { vault } }: KeyContext,
  { cplc, isApproved }: { cplc: string; isApproved: boolean },
): Promise<OpenedKey[]> {
  const opened: OpenedKey[] = []
  for (const { id, kind, purpose, domain, sealed } of await activePurposeKeys(db, cplc))
    if (sealed && (purpose === 'receipt' || isApproved))
      opened.push({ purpose, domain, key: signingKey(kind, await vault.openText(sealed, id)) })
  return opened
}

interface DelegationOf {
  /** Undefined for the issuer's domain, which needs no tokens. */
  domain: string | undefined
  keys: readonly OpenedKey[]
  /** Tokens made by others, each with its command. */
  tokens?: readonly { command: string; token: string }[]
}

/** Reads the privileges of the selected domain, and prepares what it needs to act. */
export async function delegationOf(
  { domain, keys, tokens = [] }: DelegationOf,
  send: Send,
): Promise<Delegation> {
  const entries = domain === undefined ? [] : await readRegistry(send, 'applications')
  const privileges = domain === undefined ? alone : await privilegesOf(send, domain, entries)
  const isDelegated = privileges.includes('delegatedManagement')
  const own = keys.find(({ purpose }) => purpose === 'token')
  const given = new Map(tokens.map(({ command, token }) => [signedHex(command), readHex(token)]))
  const receipts = keys.filter(({ purpose }) => purpose === 'receipt')
  const loadFiles = new Map(entries.map(({ aid, loadFileAid }) => [aid, loadFileAid]))
  return {
    isDelegated,
    isUnable: !privileges.some((name) => managing.includes(name)),
    tokenOf: (command) => {
      if (!isDelegated || !isTokenCommand(command)) return undefined
      return given.get(toHex(tokenData(command))) ?? (own && tokenFor(command, own.key))
    },
    proofOf: (command, reply) => {
      if (!isDelegated || domain === undefined || !isTokenCommand(command)) return undefined
      const subject = receiptSubject(command, {
        domain,
        loadFileOf: (aid) => loadFiles.get(aid),
      })
      if (subject?.kind === 'install') loadFiles.set(subject.applicationAid, subject.loadFileAid)
      return proofOf(subject, reply, receipts)
    },
  }
}

/** The data that a token for the command covers; empty for a command without tokens. */
function signedHex(command: string): string {
  try {
    return toHex(tokenData(parseCommand(readHex(command))))
  } catch (error) {
    if (error instanceof DecodeError) return ''
    throw error
  }
}

const alone: readonly PrivilegeName[] = ['authorizedManagement']
const delegated: readonly PrivilegeName[] = ['delegatedManagement']
const managing: readonly PrivilegeName[] = ['authorizedManagement', 'delegatedManagement']

/** A domain that lists neither itself nor itself as the issuer’s needs tokens. */
async function privilegesOf(
  send: Send,
  domain: string,
  entries: readonly RegistryEntry[],
): Promise<readonly PrivilegeName[]> {
  const own = entries.find(({ aid }) => aid === domain)
  if (own) return own.privileges ?? delegated
  const [issuer] = await readRegistry(send, 'issuer').catch((error: unknown) => {
    if (error instanceof CommandError) return []
    throw error
  })
  return issuer?.aid === domain ? alone : delegated
}

type Subject = ReturnType<typeof receiptSubject>

/** A card without a receipt key sends no receipt. */
function proofOf(
  subject: Subject,
  reply: Uint8Array,
  receipts: readonly OpenedKey[],
): Proof | undefined {
  const aid = subject ? aidOf(subject) : ''
  try {
    const receipt = parseReceipt(reply)
    if (!receipt) return undefined
    if (!subject || receipts.length === 0) return { code: 'receipt_unchecked', params: { aid } }
    const isValid = receipts.some(
      ({ key }) => 'algorithm' in key && isReceiptFor(key, receipt, subject),
    )
    return isValid
      ? { code: 'receipt_valid', params: { aid, counter: counterText(receipt.counter) } }
      : { code: 'receipt_wrong', params: { aid } }
  } catch (error) {
    if (error instanceof DecodeError) return { code: 'receipt_wrong', params: { aid } }
    throw error
  }
}

const counterText = (counter: Uint8Array): string =>
  String(counter.reduce((value, byte) => value * 256 + byte, 0))

const aidOf = (subject: NonNullable<Subject>): string => {
  switch (subject.kind) {
    case 'load':
      return subject.loadFileAid
    case 'install':
      return subject.applicationAid
    default:
      return subject.aid
  }
}
