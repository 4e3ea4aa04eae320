import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readHex } from '@grove/secure-element/bytes'
import { fitsGreeting } from '@grove/secure-element/secure-channel/card-cryptogram'
import {
  parseInitializeUpdate,
  type CardGreeting,
} from '@grove/secure-element/secure-channel/initialize-update'
import { readHsmSettings } from '../../../../core/hsm/hsm-settings.ts'
import { hasSoftHsm, startSoftHsm, type SoftHsm } from '../../../../core/testing/soft-hsm.ts'
import type { KeyBinding, KeyProviders } from './key-provider.ts'
import { openKeys } from './open-keys.ts'

const needs = '(needs softhsm2)'
let soft: SoftHsm
let keys: KeyProviders
let folder: string
beforeAll(async () => {
  if (!hasSoftHsm) return
  folder = await mkdtemp(join(tmpdir(), 'grove-keys-'))
  soft = await startSoftHsm()
  const vaultKeys = { file: join(folder, 'vault-keys'), isMade: true }
  keys = openKeys({ vaultKeys, hsm: readHsmSettings(soft.env) })
})
afterAll(async () => {
  if (!hasSoftHsm) return
  keys.hsm?.close()
  await soft.close()
  await rm(folder, { recursive: true, force: true })
})

const bytes = (length: number) => new Uint8Array(randomBytes(length))
const keysOfLength = (length: number) => ({
  enc: bytes(length),
  mac: bytes(length),
  dek: bytes(length),
})

function bindingOf(protocol: 'SCP02' | 'SCP03'): KeyBinding {
  const algorithm = protocol === 'SCP03' ? 'AES' : 'DES'
  return { id: randomUUID(), chipId: '0'.repeat(24), version: 48, protocol, algorithm }
}

function providersOf() {
  const { vault, hsm } = keys
  if (!hsm) throw new Error('an HSM is set')
  return { vault, hsm }
}

describe.runIf(hasSoftHsm)('an HSM', () => {
  // osmocom/pysim 597f1e0, tests/unittests/test_globalplatform.py.
  test.each([
    [
      'SCP03',
      16,
      'b13e5f938fc108c4',
      '000000000000000000003003703eb51047495b249f66c484c1d2ef1948000002',
    ],
    [
      'SCP03',
      24,
      '7396430b768b085b',
      '000000000000000000003103708cfc23522ffdbf1e5df5542cac8fd866000003',
    ],
    [
      'SCP03',
      32,
      '11666d57866c6f54',
      '0000000000000000000032037053ea8847efa7674e41498a4d66cf0dee000003',
    ],
    ['SCP02', 16, '40a62c37fa6304f8', '00000000000000000000700200016b4524abee7cf32ea3838bc148f3'],
  ] as const)(
    `recognises the recorded card of %s with keys of %i bytes ${needs}`,
    async (protocol, length, challenge, greeting) => {
      const counted = (first: number) =>
        Uint8Array.from({ length }, (_, index) => first + (index % 16))
      const keysOfCard =
        protocol === 'SCP03'
          ? { enc: counted(0), mac: counted(0x10), dek: counted(0x20) }
          : {
              enc: readHex('100102030405060708090A0B0C0D0E0F'),
              mac: readHex('101102030405060708090A0B0C0D0E0F'),
              dek: readHex('102102030405060708090A0B0C0D0E0F'),
            }
      // The reply of SCP03 has its option after the protocol: 16 bytes are at the same place in both.
      const { hsm } = providersOf()
      const binding = bindingOf(protocol)
      const kept = await hsm.keep(binding, keysOfCard)
      const card = parseInitializeUpdate(readHex(greeting))
      const session = await hsm.sessionKeys(
        { ...binding, ...kept, keyLength: length },
        card,
        readHex(challenge),
      )
      expect(fitsGreeting(session, card, readHex(challenge))).toBe(true)
    },
  )

  test.each([
    ['SCP03', 16],
    ['SCP03', 24],
    ['SCP03', 32],
    ['SCP02', 16],
    ['SCP02', 24],
  ] as const)(`returns the same as the vault: %s, %i bytes ${needs}`, async (protocol, length) => {
    const { vault, hsm } = providersOf()
    for (let round = 0; round < 5; round++) {
      const [binding, clear] = [bindingOf(protocol), keysOfLength(length)]
      const used = { ...binding, keyLength: length }
      const [inVault, inHsm] = [await vault.keep(binding, clear), await hsm.keep(binding, clear)]
      expect(inHsm).toEqual({ custody: 'hsm', sealed: null, hsmLabel: `grove-${binding.id}` })
      const greeting: CardGreeting = {
        protocol,
        diversificationData: bytes(10),
        keyVersion: 48,
        challenge: bytes(protocol === 'SCP03' ? 8 : 6),
        cryptogram: bytes(8),
        ...(protocol === 'SCP02' && { sequenceCounter: bytes(2) }),
      }
      const challenge = bytes(8)
      const expected = await vault.sessionKeys({ ...used, ...inVault }, greeting, challenge)
      const found = await hsm.sessionKeys({ ...used, ...inHsm }, greeting, challenge)
      const { encryptKeys: encryptHere, ...own } = expected
      const { encryptKeys: encryptThere, ...others } = found
      expect(others).toEqual(own)
      const algorithm = protocol === 'SCP03' ? ('AES' as const) : ('DES' as const)
      const lengths = protocol === 'SCP03' ? [16, 24, 32] : [16, 24]
      const added = lengths.map((each) => ({ algorithm, value: bytes(each) }))
      expect(await encryptThere(added)).toEqual(await encryptHere(added))
    }
  })

  test(`the keys of a modified row open nothing ${needs}`, async () => {
    const { hsm } = providersOf()
    const [binding, other] = [bindingOf('SCP03'), bindingOf('SCP03')]
    const kept = await hsm.keep(binding, keysOfLength(16))
    await hsm.keep(other, keysOfLength(16))
    const greeting: CardGreeting = {
      protocol: 'SCP03',
      diversificationData: bytes(10),
      keyVersion: 48,
      challenge: bytes(8),
      cryptogram: bytes(8),
    }
    const set = { ...binding, ...kept, keyLength: 16 }
    const opened = (changed: object) =>
      hsm.sessionKeys({ ...set, ...changed }, greeting, bytes(8)).then(
        () => 'opened',
        ({ code }: { code: string }) => code,
      )
    expect(await opened({})).toBe('opened')
    const changes = [{ chipId: '1'.repeat(24) }, { version: 49 }, { hsmLabel: `grove-${other.id}` }]
    for (const changed of [...changes, { id: other.id }])
      expect(await opened(changed)).toBe('hsm_key_missing')
  })
})
