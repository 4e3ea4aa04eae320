import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { deepestData, longestData, maxMessageLength } from './limits.ts'
import {
  byeCodes,
  readFromDevice,
  readToDevice,
  refusalOf,
  storedKinds,
  writeMessage,
  type FromDevice,
  type ToDevice,
} from './message.ts'

const boot = fc.stringMatching(/^[0-9A-Za-z_-]{1,32}$/)
const place = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
const id = fc.stringMatching(/^[\w-]{1,64}$/)
const hex = fc.stringMatching(/^([0-9A-F]{2}){1,40}$/)
const cplc = fc.stringMatching(/^[0-9A-F]{84}$/)
const name = fc.stringMatching(/^[!-~][ -~]{0,63}$/)
const time = fc.integer({ min: 0, max: 253_402_300_799_999 })
// What JSON preserves: -0 becomes 0.
const data = fc
  .jsonValue({ maxDepth: deepestData - 3 })
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown)

const state = fc
  .dictionary(fc.string({ maxLength: 20 }), fc.jsonValue({ maxDepth: deepestData - 5 }))
  .map((value) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>)

const said: fc.Arbitrary<FromDevice> = fc.oneof(
  fc.record(
    {
      t: fc.constant('hello' as const),
      v: fc.constant(1),
      boot,
      agent: name,
      firmware: name,
      elements: fc.array(cplc, { maxLength: 8 }),
    },
    { requiredKeys: ['t', 'v', 'boot'] },
  ),
  fc.constant({ t: 'heartbeat' as const }),
  fc.record({ t: fc.constant('elements' as const), elements: fc.array(cplc, { maxLength: 8 }) }),
  fc.record(
    {
      t: fc.constantFrom('telemetry' as const, 'event' as const),
      boot,
      seq: place,
      ts: time,
      d: data,
    },
    { requiredKeys: ['t', 'boot', 'seq', 'd'] },
  ),
  fc.record(
    {
      t: fc.constant('reported' as const),
      boot,
      seq: place,
      ts: time,
      d: state,
      version: place,
      refused: fc.dictionary(fc.stringMatching(/^[a-z]{1,9}$/), fc.string({ maxLength: 100 })),
    },
    { requiredKeys: ['t', 'boot', 'seq', 'd'] },
  ),
  fc.record(
    {
      t: fc.constant('result' as const),
      boot,
      seq: place,
      ts: time,
      id,
      ok: fc.boolean(),
      d: data,
      error: fc.string({ maxLength: 500 }),
    },
    { requiredKeys: ['t', 'boot', 'seq', 'id', 'ok'] },
  ),
  fc.record({ t: fc.constant('reply' as const), id: place, data: hex }),
  fc.record({
    t: fc.constant('failed' as const),
    id: place,
    code: fc.constantFrom('absent' as const, 'inUse' as const, 'lost' as const),
  }),
)

const answered: fc.Arbitrary<ToDevice> = fc.oneof(
  fc.record({
    t: fc.constant('welcome' as const),
    device: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/),
    seq: fc.nat(),
    heartbeat: place,
    window: place,
    held: fc.boolean(),
  }),
  fc.record({ t: fc.constant('ack' as const), boot, seq: place }),
  fc.record({
    t: fc.constant('refused' as const),
    boot,
    seq: place,
    error: fc.string({ maxLength: 500 }),
  }),
  fc.record({
    t: fc.constant('exchange' as const),
    id: place,
    session: id,
    isFirst: fc.boolean(),
    cplc,
    data: hex,
  }),
  fc.record({ t: fc.constant('end' as const), session: id }),
  fc.record(
    {
      t: fc.constant('command' as const),
      id,
      name: fc.stringMatching(/^[A-Za-z][\w.-]{0,63}$/),
      d: data,
      exp: time,
    },
    { requiredKeys: ['t', 'id', 'name', 'd'] },
  ),
  fc.record({ t: fc.constant('desired' as const), version: place, d: state }),
  fc.record({
    t: fc.constant('bye' as const),
    code: fc.constantFrom(...byeCodes),
    retryIn: fc.nat(),
  }),
)

test('messages from a device are read as written', () => {
  fc.assert(
    fc.property(said, (message) => {
      expect(readFromDevice(writeMessage(message))).toEqual(message)
    }),
  )
})

test('messages from the platform are read as written', () => {
  fc.assert(
    fc.property(answered, (message) => {
      expect(readToDevice(writeMessage(message))).toEqual(message)
    }),
  )
})

/** Messages with valid names and arbitrary contents. */
const near = fc.dictionary(
  fc.constantFrom('t', 'v', 'boot', 'seq', 'ts', 'd', 'id', 'ok', 'data', 'code', 'elements'),
  fc.oneof(
    fc.constantFrom(...storedKinds, 'hello', 'reply', 'failed', 'welcome', 'bye', '__proto__'),
    fc.double(),
    fc.string(),
    fc.constantFrom(null, true, [], {}, [1], { t: 1 }),
  ),
)

test('any text is read or refused, never thrown', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        near.map((each) => JSON.stringify(each)),
      ),
      (text) => {
        readFromDevice(text)
        readToDevice(text)
        refusalOf(text)
      },
    ),
    { numRuns: 1000 },
  )
})

test('a message with one wrong field is refused', () => {
  fc.assert(
    fc.property(said, fc.nat(), (message, at) => {
      const fields = Object.entries(message)
      const [key = 't'] = fields[at % fields.length] ?? []
      // Of the protocol's fields, only these may be an empty object.
      fc.pre(key !== 'd' && key !== 'refused')
      expect(readFromDevice(JSON.stringify({ ...message, [key]: {} }))).toBeUndefined()
    }),
  )
})

test('a message truncated anywhere is refused', () => {
  fc.assert(
    fc.property(said, fc.nat(), (message, at) => {
      const text = writeMessage(message)
      expect(readFromDevice(text.slice(0, at % text.length))).toBeUndefined()
    }),
  )
})

const stored = (d: unknown) => JSON.stringify({ t: 'event', boot: 'a', seq: 1, d })

test('unknown fields are ignored', () => {
  expect(readFromDevice('{"t":"heartbeat","later":1,"__proto__":{"x":1}}')).toEqual({
    t: 'heartbeat',
  })
})

test.each([
  ['data that is too long', stored('x'.repeat(longestData - 1))],
  ['a message that is too long', `{"t":"heartbeat","x":"${'x'.repeat(maxMessageLength)}"}`],
  ['a hundred thousand brackets', `{"t":"event","boot":"a","seq":1,"d":${'['.repeat(100_000)}`],
  ['one level too many', stored(JSON.parse('['.repeat(deepestData) + ']'.repeat(deepestData)))],
  ['no data', '{"t":"event","boot":"a","seq":1}'],
  ['a place that is no whole number', '{"t":"event","boot":"a","seq":1.5,"d":1}'],
  ['a place before the first', '{"t":"event","boot":"a","seq":0,"d":1}'],
  ['another version', '{"t":"hello","v":2,"boot":"a"}'],
  ['a kind of the other side', '{"t":"ack","boot":"a","seq":1}'],
  ['a kind that every object has', '{"t":"constructor"}'],
  ['a report that is no object', '{"t":"reported","boot":"a","seq":1,"d":[1]}'],
  ['a reason that is no text', '{"t":"reported","boot":"a","seq":1,"d":{},"refused":{"a":1}}'],
  ['a result without its command', '{"t":"result","boot":"a","seq":1,"ok":true}'],
  ['elements that are none', '{"t":"elements","elements":["9F7F"]}'],
  ['nine elements', JSON.stringify({ t: 'elements', elements: Array(9).fill('0'.repeat(84)) })],
  ['odd hex', '{"t":"reply","id":1,"data":"900"}'],
])('%s is refused', (_, text) => {
  expect(readFromDevice(text)).toBeUndefined()
})

const long = 'x'.repeat(maxMessageLength)
test.each([
  ['is too long', `{"t":"event","boot":"a","seq":7,"d":"${long}"}`, /has 140039 characters/],
  ['says its place last', `{"d":"${long}","x":{"seq":1},"seq":7,"t":"event","boot":"a"}`, /140000/],
  ['has data that is too long', stored('x'.repeat(longestData)), /“d” has 32770 characters/],
  ['is too deep', stored(JSON.parse('['.repeat(20) + ']'.repeat(20))), /more than 16/],
  ['was cut', '{"t":"event","boot":"a","seq":7,"d":{"a":"', /not JSON/],
  ['quotes what it is', String.raw`{"x":"\",\"seq\":9","boot":"a" , "seq" : 7}`, /“t” should be/],
  ['is of no kind', '{"t":"alarm","boot":"a","seq":7}', /telemetry/],
  ['lacks its data', '{"t":"event","boot":"a","seq":7}', /“d” is missing, which event needs/],
  ['has a time of another kind', '{"t":"event","boot":"a","seq":7,"ts":"x","d":1}', /“ts” is not/],
])('one that %s is refused by its place', (_, text, error) => {
  const { refused } = refusalOf(text) ?? {}
  expect(refused).toEqual({
    t: 'refused',
    boot: 'a',
    seq: /"seq" ?: ?7/.test(text) ? 7 : 1,
    error: expect.stringMatching(error),
  })
  expect(readToDevice(JSON.stringify(refused))).toEqual(refused)
})

test.each([
  ['is too long', `{"t":"result","id":"c-1","boot":"a","seq":7,"ok":true,"d":"${long}"}`, 'c-1'],
  ['says it last', `{"d":"${long}","boot":"a","seq":7,"t":"result","id":"c-1"}`, 'c-1'],
  ['lacks whether it is ok', '{"t":"result","boot":"a","seq":7,"id":"c-1"}', 'c-1'],
  ['has an id that is none', '{"t":"result","boot":"a","seq":7,"id":"c 1","ok":true}', undefined],
  ['has its id inside its data', '{"t":"result","boot":"a","seq":7,"d":{"id":"c-1"}}', undefined],
  ['is no result', '{"t":"event","boot":"a","seq":7,"id":"c-1"}', undefined],
])('a result that %s is refused with its command, if it names one', (_, text, command) => {
  expect(refusalOf(text)?.command).toBe(command)
})

test.each([
  ['is a message', stored(1)],
  ['is of a kind that has no place', '{"t":"reply","boot":"a","seq":7,"data":"0"}'],
  ['lacks its boot', '{"t":"event","seq":7,"d":1}'],
  ['was cut in its number', '{"t":"event","boot":"a","seq":7'],
  ['has a place that is none', '{"t":"event","boot":"a","seq":-7,"d":1}'],
  ['names its place inside its data', '{"t":"event","d":{"boot":"a","seq":7}}'],
  ['is a list', '[{"t":"event","boot":"a","seq":7}]'],
  ['is no object', `x${long}{"t":"event","boot":"a","seq":7}`],
])('one that %s has no refusal', (_, text) => {
  expect(refusalOf(text)).toBeUndefined()
})

test.each([
  ['-1', 0],
  ['1.5', 1],
  ['1795690000000.9', 1_795_690_000_000],
  ['1795690000000000', 253_402_300_799_999],
  ['1e20', 253_402_300_799_999],
  ['1e400', 253_402_300_799_999],
])('the clock %s is read as a calendar time', (clock, ts) => {
  for (const rest of [
    '"t":"telemetry","d":{"a":1}',
    '"t":"reported","d":{}',
    '"t":"result","id":"c-1","ok":true',
    '"t":"bytes","d":"AAAA"',
  ])
    expect(readFromDevice(`{"boot":"a","seq":1,"ts":${clock},${rest}}`)).toMatchObject({ ts })
})

test('brackets in a text do not count', () => {
  expect(readFromDevice(stored(String.raw`[[[[[[[[[[[[[[[[[[[[\"[[[`))).toMatchObject({
    t: 'event',
  })
})
