import { expect, test } from 'vitest'
import { readHex } from '../bytes.ts'
import { softwareCard } from '../card/software-card.ts'
import { getData, getStatus, select } from '../host/commands.ts'
import { otherKey, plain, standardKey } from '../testing/opened-card.ts'
import { staticKeys } from './key-source.ts'
import { openSecureChannel } from './open-channel.ts'

const aid = readHex('A000000151000000')
const keysOf = (key: Uint8Array) => staticKeys({ enc: key, mac: key, dek: key })
const card = () => softwareCard({ seed: 'implicit', protocol: 'SCP02', implementation: 0x1a })
const options = { keys: keysOf(standardKey), level: 0x01, scp02Implementation: 0x1a, aid } as const

test('an implicit channel opens with its first command, and the next one counts on', async () => {
  const made = card()
  for (const counter of [1, 2]) {
    const channel = await openSecureChannel(made, options)
    const status = getStatus({ subset: 'issuer' })
    expect(await channel.send(status)).toMatchObject({ statusWord: 0x9000 })
    expect(await channel.send(getData({ tag: '66' }))).toMatchObject({ statusWord: 0x9000 })
    expect(made.snapshot().keySets[0]?.counter).toBe(counter)
  }
})

test('wrong keys show at the first command, and count against the keys of the card', async () => {
  const made = card()
  const channel = await openSecureChannel(made, { ...options, keys: keysOf(otherKey) })
  expect(await channel.send(getStatus({ subset: 'issuer' }))).toMatchObject({ statusWord: 0x6982 })
  expect(made.snapshot().keySets[0]).toMatchObject({ counter: 0, failures: 1 })
  await plain(made, select())
  const right = await openSecureChannel(made, options)
  expect(await right.send(getStatus({ subset: 'issuer' }))).toMatchObject({ statusWord: 0x9000 })
  expect(made.snapshot().keySets[0]).toMatchObject({ counter: 1, failures: 0 })
})

test('an implicit channel needs the name, has no other level, and a card of one no greeting', async () => {
  const { aid: _, ...unnamed } = options
  await expect(openSecureChannel(card(), unnamed)).rejects.toMatchObject({
    code: 'unsupportedImplementation',
  })
  await expect(openSecureChannel(card(), { ...options, level: 0x03 })).rejects.toMatchObject({
    code: 'unsupportedLevel',
  })
  await expect(
    openSecureChannel(card(), { ...options, scp02Implementation: 0x15 }),
  ).rejects.toMatchObject({ code: 'initializeRefused', statusWord: 0x6d00 })
})
