import { expect, test } from 'vitest'
import { encodeCommand, parseResponse } from '../apdu.ts'
import { readHex, toHex } from '../bytes.ts'
import { encryptKey, type NewKey } from '../keys/encrypt-key.ts'
import { loadPackage, putKeys, readRegistry, run, type Send } from './run.ts'
import { select } from './commands.ts'

/** Returns the replies in turn, and records the commands. */
function answering(...replies: string[]) {
  const sent: string[] = []
  const send: Send = (command) => {
    sent.push(toHex(encodeCommand(command)))
    const reply = replies.shift()
    return reply === undefined
      ? Promise.reject(new Error('No reply is left'))
      : Promise.resolve(parseResponse(readHex(reply)))
  }
  return { send, sent }
}

test('reads a registry whose entry is cut between two replies', async () => {
  const entry = 'E3144F07A00000015100009F700107C50180EA028000'
  const card = answering(`${entry}${entry.slice(0, 20)}6310`, `${entry.slice(20)}9000`)
  const entries = await readRegistry(card.send, 'issuer')
  expect(entries.map(({ aid, state }) => [aid, state])).toEqual([
    ['A0000001510000', 'initialized'],
    ['A0000001510000', 'initialized'],
  ])
  expect(card.sent).toEqual(['80F28002024F0000', '80F28003024F0000'])
})

test('a registry of a card that knows the older form alone', async () => {
  const domain = '08A000000003000000079E'
  const applet = '05A0000000FE0700'
  const card = answering('6A86', `${domain}${applet.slice(0, 6)}6310`, `${applet.slice(6)}9000`)
  const entries = await readRegistry(card.send, 'applications')
  expect(entries.map(({ aid, kind, state }) => [aid, kind, state])).toEqual([
    ['A000000003000000', 'securityDomain', 'selectable'],
    ['A0000000FE', 'application', 'selectable'],
  ])
  expect(card.sent).toEqual(['80F24002024F0000', '80F24000024F0000', '80F24001024F0000'])

  const files = answering('6A80', '07A000000015153001000205A0000000FE06A0000000FE019000')
  expect(await readRegistry(files.send, 'loadFilesAndModules')).toMatchObject([
    { aid: 'A0000000151530', kind: 'loadFile', modules: ['A0000000FE', 'A0000000FE01'] },
  ])
  expect(await readRegistry(answering('6A86', '6A88').send, 'loadFiles')).toEqual([])
  await expect(readRegistry(answering('6A86', '6982').send, 'issuer')).rejects.toMatchObject({
    statusWord: 0x6982,
  })
  for (const broken of ['05A0000000FE07', '05A0000000FE070002', '0107009000'])
    await expect(
      readRegistry(answering('6A86', `${broken}9000`).send, 'loadFilesAndModules'),
    ).rejects.toMatchObject({ code: 'malformedReply' })
})

test('an empty subset is no error', async () => {
  expect(await readRegistry(answering('6A88').send, 'loadFiles')).toEqual([])
  expect(await readRegistry(answering('9000').send, 'loadFiles')).toEqual([])
})

test('stops reading a registry that never ends', async () => {
  const endless: Send = () => Promise.resolve({ data: new Uint8Array(), statusWord: 0x6310 })
  await expect(readRegistry(endless, 'loadFiles')).rejects.toMatchObject({
    name: 'CommandError',
    code: 'endlessReply',
  })
})

test.each([
  ['6985', { code: 'refused', statusWord: 0x6985 }],
  ['E3054F9000', { code: 'malformedReply' }],
])('reports the registry reply %s', async (reply, expected) => {
  await expect(readRegistry(answering(reply).send, 'issuer')).rejects.toMatchObject(expected)
})

test('names the status word that refused a command', async () => {
  await expect(run(answering('6A82').send, select())).rejects.toThrow(
    'The card refused the command: 6A82 ',
  )
})

const channel = (send: Send) => ({
  send,
  longestData: 239,
  encryptKeys: (keys: readonly NewKey[]) =>
    keys.map((each) => encryptKey('SCP03', readHex('404142434445464748494A4B4C4D4E4F'), each)),
})
const key = { algorithm: 'AES', value: readHex('404142434445464748494A4B4C4D4E4F') } as const

test.each([
  ['30504A77504A77504A779000', undefined],
  ['9000', 'missingKeyCheckValue'],
  ['30504A77504A77504A789000', 'wrongKeyCheckValue'],
  ['31504A77504A77504A779000', 'wrongKeyCheckValue'],
  ['6A80', 'refused'],
])('sends keys once, and after the reply %s reports %s', async (reply, code) => {
  const card = answering(reply)
  const putting = putKeys(channel(card.send), { version: 0x30, keys: [key, key, key] })
  if (code === undefined) await putting
  else await expect(putting).rejects.toMatchObject({ name: 'CommandError', code })
  expect(card.sent).toHaveLength(1)
  expect(card.sent[0]).toMatch(/^80D8008146308811 ?10/)
})

test('loads a package block by block and stops at the first refusal', async () => {
  const progress: string[] = []
  const package_ = {
    loadFileAid: '0102030405',
    code: new Uint8Array(500),
    onBlock: (sent: number, all: number) => progress.push(`${sent}/${all}`),
  }
  const card = answering('009000', '009000', '9000', '9000')
  await loadPackage(channel(card.send), package_)
  expect(card.sent.map((each) => each.slice(0, 8))).toEqual([
    '80E60200',
    '80E80000',
    '80E80001',
    '80E88002',
  ])
  expect(progress).toEqual(['1/3', '2/3', '3/3'])
  const refusing = answering('009000', '6A84')
  await expect(loadPackage(channel(refusing.send), package_)).rejects.toMatchObject({
    code: 'refused',
    statusWord: 0x6a84,
  })
  expect(refusing.sent).toHaveLength(2)
})
