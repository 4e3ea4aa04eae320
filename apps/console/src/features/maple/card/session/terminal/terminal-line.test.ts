import { expect, test } from 'vitest'
import { placeOf, readLines } from './terminal-line.ts'

const channel = {
  protocol: 'SCP03' as const,
  implementation: '70',
  level: '03' as const,
  keyVersion: 1,
  longestData: 239,
}
const read = (typed: string, open: typeof channel | null = null) =>
  readLines(typed, placeOf({ channel: open })).map(({ steps, refused, hasKeys, isKept }) => ({
    steps: steps.map(({ kind, values }) => `${kind} ${Object.values(values).join(' ')}`.trim()),
    refused: refused.map(({ reason }) => reason),
    hasKeys,
    isKept,
  }))
const sends = (...steps: string[]) => ({ steps, refused: [], hasKeys: false, isKept: true })

test('a line is bytes, a command of GPShell or options of gp', () => {
  expect(read('80 ca 9f 7f 00')).toEqual([sends('raw 80CA9F7F00')])
  expect(read('80:CA:9F:7F:00')).toEqual([sends('raw 80CA9F7F00')])
  expect(read('get_status -element 20')).toEqual([sends('MplGetStatus loadFiles')])
  // `gp` starts in the issuer's domain, and opens the channel it needs.
  const list = ['MplSelect', 'openChannel 03', 'MplGetStatus applications']
  expect(read('gp -l')).toEqual([sends(...list)])
  expect(read('--list')).toEqual([sends(...list)])
})

test('an open channel is used for what follows, and lines build on each other', () => {
  expect(read('gp -l', channel)).toEqual([sends('MplGetStatus applications')])
  expect(read('open_sc -security 3\n\nget_status\nselect -AID A000000151000000\ngp -l')).toEqual([
    sends('openChannel 03'),
    sends('MplGetStatus applications'),
    sends('MplSelect A000000151000000'),
    sends('MplSelect', 'openChannel 03', 'MplGetStatus applications'),
  ])
})

test('a line goes to the logical channel it names', () => {
  const numbered = (typed: string) =>
    readLines(typed, placeOf({ channel })).map(({ text, logicalChannel, steps }) => [
      text,
      logicalChannel,
      ...steps.map(({ kind, values }) => `${kind} ${Object.values(values).join(' ')}`.trim()),
    ])
  expect(numbered('manage_channel open\nmanage_channel close 2')).toEqual([
    ['manage_channel open', 0, 'ManageChannel open'],
    ['manage_channel close 2', 0, 'ManageChannel close 2'],
  ])
  expect(numbered('on 1 get_status -element 20\non 2 open_sc -security 3')).toEqual([
    ['on 1 get_status -element 20', 1, 'MplGetStatus loadFiles'],
    ['on 2 open_sc -security 3', 2, 'openChannel 03'],
  ])
  // The secure channel of the basic channel does not cover logical channel 1.
  expect(numbered('gp -l\non 1 gp -l')).toEqual([
    ['gp -l', 0, 'MplGetStatus applications'],
    ['on 1 gp -l', 1, 'MplSelect', 'openChannel 03', 'MplGetStatus applications'],
  ])
  expect(numbered('on 1 80ca9f7f00\non 3 00a4040000\non 1 82CA9F7F00')).toEqual([
    ['on 1 80ca9f7f00', 1, 'raw 81CA9F7F00'],
    ['on 3 00a4040000', 3, 'raw 03A4040000'],
    ['on 1 82CA9F7F00', 1, 'raw 82CA9F7F00'],
  ])
  expect(read('on 1 0020008003313233')).toMatchObject([{ isKept: false }])
  for (const wrong of ['on 4 gp -l', 'manage_channel close', 'manage_channel close 4', 'on 1'])
    expect([wrong, read(wrong)[0]?.steps]).toEqual([wrong, []])
})

test('secrets are not stored, and what a session does not send is refused with its reason', () => {
  expect(read('0020008003313233')).toEqual([{ ...sends('raw 0020008003313233'), isKept: false }])
  const [keys] = read('gp --key 404142434445464748494A4B4C4D4E4F -l')
  expect(keys).toMatchObject({ refused: [], hasKeys: true, isKept: false })
  expect(read('send_apdu -sc 0 -APDU 0020008003313233')).toMatchObject([
    { steps: [], refused: ['secret'], isKept: false },
  ])
  expect(read('gp --install a.cap')).toMatchObject([{ refused: ['applets'] }])
  expect(read('gp --lock 404142434445464748494A4B4C4D4E4F')).toMatchObject([
    { refused: ['keys'], isKept: false },
  ])
  expect(read('frobnicate')).toMatchObject([{ steps: [], refused: ['unknown'] }])
  // Three bytes are not a command, nor a word of either tool.
  expect(read('80CA9F')).toMatchObject([{ steps: [], refused: ['unknown'] }])
})
