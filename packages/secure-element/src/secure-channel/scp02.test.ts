import { expect, test } from 'vitest'
import { parseCommand } from '../apdu.ts'
import { readHex, toHex } from '../bytes.ts'
import { keyCheckValue } from '../keys/key-check-value.ts'
import { recordedCard } from '../testing/recorded-card.ts'
import { staticKeys } from './key-source.ts'
import { openSecureChannel } from './open-channel.ts'
import { scp02SessionKeys } from './scp02-keys.ts'

const standard = readHex('404142434445464748494A4B4C4D4E4F')
const standardKeys = { enc: standard, mac: standard, dek: standard }

// osmocom/pysim 597f1e0, tests/unittests/test_globalplatform.py.
test('repeats the session that pySim recorded', async () => {
  const card = recordedCard(
    [
      '805020000840A62C37FA6304F800',
      '00000000000000000000700200016B4524ABEE7CF32EA3838BC148F39000',
    ],
    ['8482010010BA6961667737C5BCEBECE14C7D6A4376', '9000'],
    ['84F220020814DB34FA4341DCA8', '9000'],
    ['84CA00660855ED7C5FF069512B00', '9000'],
    ['84F22002124F0212345C054F9F70C58FC1B380C4228AF8', '9000'],
    ['84F280020A4F003B95F09317DE6A4E00', '9000'],
  )
  // The recorded card answers with a key version that the host did not request.
  const channel = await openSecureChannel(anyVersion(card.transport), {
    keys: staticKeys({
      enc: readHex('100102030405060708090A0B0C0D0E0F'),
      mac: readHex('101102030405060708090A0B0C0D0E0F'),
      dek: readHex('102102030405060708090A0B0C0D0E0F'),
    }),
    level: 0x01,
    hostChallenge: readHex('40A62C37FA6304F8'),
  })
  expect(channel).toMatchObject({ protocol: 'SCP02', implementation: 0x15, keyVersion: 0x70 })
  for (const plain of [
    '80F22002',
    '80CA006600',
    '80F220020A4F0212345C054F9F70C5',
    '80F28002024F0000',
  ])
    await channel.send(parseCommand(readHex(plain)))
  expect(card.left()).toBe(0)
})

/** Puts key version 20 into INITIALIZE UPDATE, as the recorded host did. */
function anyVersion(transport: ReturnType<typeof recordedCard>['transport']) {
  return {
    transmit: (command: Uint8Array) =>
      transport.transmit(
        command.map((byte, at) => (command[1] === 0x50 && at === 2 ? 0x20 : byte)),
      ),
  }
}

// kaoh/globalplatform 8dd2f1b, scp02Test.c.
test('repeats a session with MAC', async () => {
  const card = recordedCard(
    [
      '8050000008D5AD539A60CA5E7200',
      '000074746E6E6E6262620102069FAA2A0591E73367DD78794D04315E9000',
    ],
    ['84820100107C799B3C771DBAE6BEF49310977617BA', '9000'],
    ['84F220020A4F00BB6E71C0EFCFCF0D00', 'E30D4F07A00000000353509F7001019000'],
  )
  const channel = await openSecureChannel(card.transport, {
    keys: staticKeys(standardKeys),
    level: 0x01,
    hostChallenge: readHex('D5AD539A60CA5E72'),
  })
  await channel.send(parseCommand(readHex('80F22002024F0000')))
  expect(card.left()).toBe(0)
})

test('repeats a session with MAC and encryption', async () => {
  const card = recordedCard(
    [
      '8050000008EBAA9E53C696281B00',
      '000074746E6E6E626262010206A15086BBEE58F467149061DA4B6EAE9000',
    ],
    ['848203001005814C116071EB67D8BA9D9879454564', '9000'],
    ['84E4008018BC146FA0403BE4BAD3BC089E4ABD8674DA7EFEA21047B85800', '6A88'],
    ['84E4008018C2748C1669FAFC0E20C5253680388A4A49C9A6038D77B45700', '009000'],
    [
      '84E60200280839B761AA201C218FD6607C56803CFD2D098CBAA9946976EEFAE3F210038EB4965D6E04EDEF801700',
      '009000',
    ],
  )
  const channel = await openSecureChannel(card.transport, {
    keys: staticKeys(standardKeys),
    level: 0x03,
    hostChallenge: readHex('EBAA9E53C696281B'),
  })
  for (const plain of [
    '80E400800A4F08D0D1D2D3D4D5010100',
    '80E40080094F07D0D1D2D3D4D50100',
    '80E602001E07D0D1D2D3D4D50108A000000003000000000AEF08C6020160C80207D00000',
  ])
    await channel.send(parseCommand(readHex(plain)))
  expect(card.left()).toBe(0)
})

// martinpaljak/GlobalPlatformPro 236a610, TestPlaintextKeys.testSessionKeys_SCP02.
test('derives session keys with the published check values', () => {
  const keys = scp02SessionKeys(standardKeys, new Uint8Array(2))
  const values = [keys.enc, keys.mac, keys.dek, keys.rmac].map((key) =>
    toHex(keyCheckValue('DES', key)),
  )
  expect(values).toEqual(['F2DCDD', '5FCC69', '85272E', '9F749A'])
})
