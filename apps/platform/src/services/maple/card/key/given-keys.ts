import type { BodyOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import { isKeyBlock, type KeyDiversification } from '@grove/contract/maple/card/key.rules'
import { readHex, toHex } from '@grove/secure-element/bytes'
import { DecodeError } from '@grove/secure-element/decode-error'
import type { KeyAlgorithm } from '@grove/secure-element/keys/key-check-value'
import { unwrapKey } from '@grove/secure-element/keys/key-wrap'
import { cardKeyHeader, unwrapKeyBlock } from '@grove/secure-element/keys/tr31'
import type { KeySet as ClearKeys } from '@grove/secure-element/secure-channel/key-set'
import type { Actor } from '../../../../core/actor.ts'
import { invalidField, ProblemError } from '../../../../core/http/problem.ts'
import { scopeOf } from '../../../../core/scope.ts'
import type { MapleDb } from '../../base/tables.ts'
import { domainsOf } from '../domain/domain.queries.ts'
import { checkValuesOf } from './key-source.ts'
import { storedMasters } from './master.queries.ts'

type Import = BodyOf<Calls['POST /api/maple/se/keys']>

/** As stored: null for the issuer's domain, whose AID Grove may have read. */
export async function storedDomain(
  db: MapleDb,
  cplc: string,
  domain: string | undefined,
): Promise<string | null> {
  const aid = domain?.toUpperCase() ?? null
  if (aid === null) return null
  const known = (await domainsOf(db, cplc)).find((each) => each.aid === aid)
  return known?.parent === null ? null : aid
}

/**
 * Opens keys that another Grove exported.
 * @throws ProblemError `invalid_request` if the transport key is another one, or a key block holds a
 * key for another use.
 */
export function openWrapped(
  algorithm: KeyAlgorithm,
  { transportKey, ...wrapped }: NonNullable<Import['wrapped']>,
): NonNullable<Import['keys']> {
  const transport = readHex(transportKey)
  const opened = (name: 'enc' | 'mac' | 'dek') =>
    toHex(
      isKeyBlock(wrapped[name])
        ? openBlock(transport, wrapped[name], name, algorithm)
        : unwrapKey(transport, readHex(wrapped[name])),
    )
  try {
    return { enc: opened('enc'), mac: opened('mac'), dek: opened('dek') }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw invalidField(
      'wrapped.transportKey',
      'transportKey',
      'This transport key does not open the keys: it is another one, or the keys were changed on their way.',
    )
  }
}

/** A block states the use of its key, so that none can take another's place. */
function openBlock(
  transport: Uint8Array,
  block: string,
  name: 'enc' | 'mac' | 'dek',
  algorithm: KeyAlgorithm,
): Uint8Array {
  const { header, key } = unwrapKeyBlock(transport, block)
  const expected = cardKeyHeader(name, algorithm, 0)
  const found = `${header.usage}${header.algorithm}`
  if (found !== `${expected.usage}${expected.algorithm}`)
    throw invalidField(
      `wrapped.${name}`,
      'keyUsage',
      `This key block holds a key of usage ${header.usage} for algorithm ${header.algorithm}, not ${expected.usage} for ${expected.algorithm}.`,
      { found, expected: `${expected.usage}${expected.algorithm}` },
    )
  return key
}

/** @throws ProblemError `invalid_request`; no message repeats a key. */
export function readKeys(
  algorithm: KeyAlgorithm,
  keys: NonNullable<Import['keys']>,
  checkValues: Import['checkValues'],
  at = '',
): ClearKeys {
  const clear = { enc: readHex(keys.enc), mac: readHex(keys.mac), dek: readHex(keys.dek) }
  const names = ['enc', 'mac', 'dek'] as const
  const { length } = clear.enc
  for (const name of names) {
    const isWrong = clear[name].length !== length || (algorithm === 'DES' && length === 32)
    if (isWrong)
      throw invalidField(
        `${at}keys.${name}`,
        'keyLength',
        algorithm === 'DES'
          ? 'The three keys must have the same length: 16 or 24 bytes with SCP02.'
          : 'The three keys must have the same length: 16, 24 or 32 bytes.',
      )
  }
  const made = checkValuesOf(algorithm, clear)
  for (const [index, name] of names.entries()) {
    const [expected, found = ''] = [checkValues?.[name].toUpperCase(), made[index]]
    if (expected !== undefined && expected !== found)
      throw invalidField(
        `${at}checkValues.${name}`,
        'checkValue',
        `The check value of this key is ${found}, not ${expected}: the key contains a typo, or belongs to another set.`,
        { found, expected },
      )
  }
  return clear
}

/**
 * @throws ProblemError `not_found`, or `invalid_request` for a diversification that does not fit the
 * keys.
 */
export async function assertMaster(
  tx: MapleDb,
  actor: Actor,
  {
    masterId,
    algorithm,
    diversification,
    at = '',
  }: {
    masterId: string
    algorithm: KeyAlgorithm
    diversification: KeyDiversification
    at?: string
  },
): Promise<void> {
  const master = (await storedMasters(tx, scopeOf(actor))).find(({ id }) => id === masterId)
  if (!master) throw new ProblemError('not_found', 'There are no such master keys.')
  const isFitting =
    master.algorithm === algorithm && (algorithm === 'DES' || diversification === 'KDF3')
  if (!isFitting)
    throw invalidField(
      `${at}diversification`,
      'diversification',
      'EMV and VISA2 derive triple DES keys for SCP02; KDF3 derives AES keys for SCP03.',
    )
}
