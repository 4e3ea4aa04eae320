import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readHex } from '../bytes.ts'
import { CardFileError, openCardFile } from './card-file.ts'
import { cardProfiles } from './card-profile.ts'

const folder = mkdtempSync(join(tmpdir(), 'grove-card-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a file keeps a card, for its owner alone, and continues it', async () => {
  const file = join(folder, 'card.json')
  const first = openCardFile(file, { ...cardProfiles.scp02, seed: 'file' })
  first.keep()
  expect(first.isContinued).toBe(false)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const before = readFileSync(file, 'utf8')
  // The card draws random bytes for its challenge, which changes it.
  await first.card.transmit(readHex('8050000008010203040506070800'))
  const changed = openCardFile(file, {})
  expect(changed.card.snapshot().protocol).toBe('SCP02')
  first.keep()
  expect(openCardFile(file, {}).card.snapshot()).toEqual(first.card.snapshot())
  expect(openCardFile(file, {}).isContinued).toBe(true)
  expect(readFileSync(file, 'utf8')).toBe(
    first.card.snapshot().drawn === 0 ? before : readFileSync(file, 'utf8'),
  )
  expect(readdirSync(folder)).toEqual(['card.json'])
})

test('a card that has not changed leaves its file alone', async () => {
  const file = join(folder, 'still.json')
  const { card, keep } = openCardFile(file, { seed: 'still' })
  keep()
  const { ino } = statSync(file)
  await card.transmit(readHex('80CA9F7F00'))
  keep()
  expect(statSync(file).ino).toBe(ino)
  await card.transmit(readHex('8050000008010203040506070800'))
  keep()
  expect(statSync(file).ino).not.toBe(ino)
})

test.each(['', '{', '[]', 'null', '{"keySets": 1}'])('a file of %j is no card', (text) => {
  const file = join(folder, 'wrong.json')
  writeFileSync(file, text)
  expect(() => openCardFile(file, {})).toThrow(CardFileError)
  expect(readFileSync(file, 'utf8')).toBe(text)
})
