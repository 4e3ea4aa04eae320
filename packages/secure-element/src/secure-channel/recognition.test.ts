import { expect, test } from 'vitest'
import { readHex } from '../bytes.ts'
import { select } from '../host/commands.ts'
import { plain } from '../testing/opened-card.ts'
import { softwareCard } from '../card/software-card.ts'
import { recognisedChannels } from './recognition.ts'

test('the reply to SELECT names the protocol and its option', async () => {
  const card = softwareCard({ protocol: 'SCP02', implementation: 0x75 })
  const { data } = await plain(card, select())
  expect(recognisedChannels(data)).toEqual([{ protocol: 'SCP02', implementation: 0x75 }])
})

test('several channels are listed in the order of the card', () => {
  const channels = '06092A864886FC6B04025506092A864886FC6B040370'
  expect(recognisedChannels(readHex(`661A73186416${channels}`))).toEqual([
    { protocol: 'SCP02', implementation: 0x55 },
    { protocol: 'SCP03', implementation: 0x70 },
  ])
})

test.each(['', '6F00', '9F7F03010203', 'FF'])('data without any gives none: %s', (hex) => {
  expect(recognisedChannels(hex === '' ? new Uint8Array() : readHex(hex))).toEqual([])
})
