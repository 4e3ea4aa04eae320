import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Begun } from './gateway.queries.ts'
import {
  breach,
  goodbyes,
  transition,
  transitions,
  type Coming,
  type ConnectionEffect,
  type ConnectionEvent,
  type ConnectionState,
  type Hello,
  type Kept,
  type LinkKind,
} from './connection-machine.ts'

type EventType = ConnectionEvent['type']
type EffectType = ConnectionEffect['type']
const kinds = ['strict', 'repeating'] as const
const eventTypes = Object.keys(transitions.strict.opened) as EventType[]
const said = new Set<EventType>([
  'hello',
  'otherHello',
  'repeatedHello',
  'message',
  'messageAfterGap',
  'elements',
  'reply',
  'strayReply',
  'aside',
])

const hello: Hello = { t: 'hello', v: 1, boot: 'a' }
const begun: Begun = { seq: 0, state: 'accepted', hasMoved: false }
const keptOf = (seq: number, coming: Coming): Kept => ({
  message: { t: 'event', boot: 'a', seq, d: seq },
  coming,
  outcome: 'done',
  command: undefined,
})

function eventOf(type: EventType, kept: Kept): ConnectionEvent {
  const { coming } = kept
  switch (type) {
    case 'hello':
    case 'otherHello':
    case 'repeatedHello':
      return { type, hello, coming }
    case 'accepted':
    case 'notAccepted':
      return { type, begun, hello, coming }
    case 'message':
    case 'messageAfterGap':
    case 'stored':
    case 'notStored':
      return { type, kept }
    case 'elements':
      return { type, elements: [], coming }
    case 'reply':
      return { type, reply: { t: 'reply', id: 1, data: '9000' }, coming }
    case 'strayReply':
    case 'aside':
      return { type, coming }
    case 'helloOverdue':
    case 'work':
      return { type }
    case 'end':
      return { type, goodbye: goodbyes.changed }
    case 'linkClosed':
      return { type, reason: 'it went' }
    case 'fault':
      return { type, error: new Error('ours') }
  }
}

// One line an event: what follows in each state. `·` changes nothing, and `bye` with a code ends it.
const written = `
  event           | opened         | greeting       | held           | online          | closed
  hello           | greeting begin | bye protocol   | bye protocol   | bye protocol    | ·
  otherHello      | greeting begin | bye protocol   | bye protocol   | bye protocol    | ·
  repeatedHello   | greeting begin | confirm        | confirm        | confirm         | ·
  message         | bye protocol   | bye protocol   | confirm        | store           | ·
  messageAfterGap | bye protocol   | bye protocol   | confirm        | bye unavailable | ·
  elements        | bye protocol   | bye protocol   | offer confirm  | offer confirm   | ·
  reply           | bye protocol   | bye protocol   | settle confirm | settle confirm  | ·
  strayReply      | bye protocol   | bye protocol   | bye protocol   | bye protocol    | ·
  aside           | bye protocol   | bye protocol   | confirm        | confirm         | ·
  accepted        | ·              | online join welcome confirm lookForWork | · | ·  | depart
  notAccepted     | ·              | held join welcome confirm | ·   | ·               | depart
  stored          | ·              | ·              | count acknowledge confirm | count acknowledge confirm | ·
  notStored       | confirm        | confirm        | confirm        | confirm         | ·
  helloOverdue    | bye silent     | ·              | ·              | ·               | ·
  work            | ·              | ·              | ·              | lookForWork     | ·
  end             | bye changed    | bye changed    | bye changed    | bye changed     | ·
  linkClosed      | closed release | closed release | closed release depart | closed release depart | ·
  fault | closed release fail | closed release fail | closed release depart fail | closed release depart fail | fail`

const writtenOfRepeating = `
  hello           | greeting begin | bye protocol   | welcomeAgain confirm | welcomeAgain confirm | ·
  otherHello      | greeting begin | bye protocol   | bye replaced   | bye replaced    | ·
  message         | wait store     | wait store     | confirm        | store           | ·
  messageAfterGap | wait store     | wait store     | confirm        | bye unavailable | ·
  elements        | confirm        | confirm        | offer confirm  | offer confirm   | ·
  reply           | confirm        | confirm        | settle confirm | settle confirm  | ·
  strayReply      | confirm        | confirm        | confirm        | confirm         | ·
  aside           | confirm        | confirm        | confirm        | confirm         | ·
  stored          | count confirm  | count confirm  | count acknowledge confirm | count acknowledge confirm | ·`

const rowsOf = (text: string) =>
  new Map(
    text
      .trim()
      .split('\n')
      .map((line) => {
        const [type = '', ...cells] = line.split('|').map((cell) => cell.trim())
        return [type, cells]
      }),
  )

/** A cell as the table has it. */
function cellOf(state: ConnectionState, [next, ...effects]: ReturnType<typeof transition>) {
  const types = effects.map(({ type }) => type)
  const bye = effects.find((effect) => effect.type === 'bye')
  const isPresent = state === 'held' || state === 'online'
  const leaving: EffectType[] = isPresent ? ['release', 'depart', 'bye'] : ['release', 'bye']
  if (bye && next === 'closed' && types.join() === leaving.join()) return `bye ${bye.goodbye.code}`
  return [...(next === state ? [] : [next]), ...types].join(' ') || '·'
}

describe('the transition table', () => {
  test.each(kinds)('of a %s link matches this table', (kind) => {
    const { event: states = [], ...rows } = Object.fromEntries([
      ...rowsOf(written),
      ...(kind === 'repeating' ? rowsOf(writtenOfRepeating) : []),
    ])
    expect(states).toEqual(Object.keys(transitions[kind]))
    expect(Object.keys(rows)).toEqual(eventTypes)
    for (const type of eventTypes) {
      const event = eventOf(type, keptOf(1, {}))
      const cells = (states as ConnectionState[]).map((state) =>
        cellOf(state, transition(kind, state, event)),
      )
      expect([type, ...cells]).toEqual([type, ...(rows[type] ?? [])])
    }
  })

  test('every goodbye says why, and protocol violations mean a longer wait', () => {
    for (const { code, reason, waitMs } of Object.values(goodbyes)) {
      expect(reason).not.toBe('')
      if (code === 'protocol') expect(waitMs).toBe(breach('').waitMs)
    }
  })
})

interface Move {
  before: ConnectionState
  event: ConnectionEvent
  after: ConnectionState
  effects: ConnectionEffect[]
}

// What ends a connection is rare, so that much happens before.
const step = fc.record({
  type: fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(...eventTypes) },
    { weight: 2, arbitrary: fc.constantFrom<EventType>('hello', 'accepted', 'notAccepted') },
    {
      weight: 9,
      arbitrary: fc.constantFrom<EventType>('message', 'stored', 'notStored', 'work', 'elements'),
    },
  ),
  /** Which of the messages that wait for the database an answer is for. */
  which: fc.nat({ max: 5 }),
})

/**
 * Random orders of events. `answered`: the database answers what it was asked, and once, as it does;
 * otherwise an answer may come that nobody awaits.
 */
function always(
  check: (moves: readonly Move[], kind: LinkKind) => void,
  { isAnswered = false, isEnded = false } = {},
): void {
  const orders = fc.array(step, { maxLength: 60, size: 'max' })
  fc.assert(
    fc.property(fc.constantFrom(...kinds), orders, (kind, steps) => {
      const moves: Move[] = []
      let state: ConnectionState = 'opened'
      const asked: Kept[] = []
      const greeted: Coming[] = []
      const move = (event: ConnectionEvent) => {
        const [after, ...effects] = transition(kind, state, event)
        moves.push({ before: state, event, after, effects })
        state = after
        for (const effect of effects) {
          if (effect.type === 'store') asked.push(effect.kept)
          if (effect.type === 'begin') greeted.push(effect.coming)
        }
      }
      for (const [seq, { type, which }] of steps.entries()) {
        let kept = keptOf(seq, {})
        if (isAnswered && (type === 'stored' || type === 'notStored')) {
          const [found] = asked.splice(which % Math.max(1, asked.length), 1)
          if (!found) continue
          kept = found
        }
        if (isAnswered && (type === 'accepted' || type === 'notAccepted')) {
          const coming = greeted.pop()
          if (!coming) continue
          kept = keptOf(seq, coming)
        }
        move(eventOf(type, kept))
      }
      if (isEnded) {
        const coming = greeted.pop()
        if (coming) move({ type: 'accepted', begun, hello, coming })
        move({ type: 'linkClosed', reason: 'it went' })
      }
      check(moves, kind)
    }),
    { numRuns: 500 },
  )
}

const effectsOf = (moves: readonly Move[]) => moves.flatMap(({ effects }) => effects)
const count = (moves: readonly Move[], type: EffectType) =>
  effectsOf(moves).filter((effect) => effect.type === type).length

describe('in any order of events', () => {
  test('C1: a connection that has ended stays so, and its device hears nothing more', () => {
    always((moves) => {
      for (const { before, after, effects } of moves) {
        if (before !== 'closed') continue
        expect(after).toBe('closed')
        for (const { type } of effects) expect(['depart', 'fail']).toContain(type)
      }
    })
  })

  test('C2: its place is given back once, when it ends', () => {
    always((moves) => {
      for (const move of moves) {
        const ends = move.before !== 'closed' && move.after === 'closed'
        expect(count([move], 'release')).toBe(ends ? 1 : 0)
        if (ends) expect(move.effects[0]?.type).toBe('release')
      }
    })
  })

  test('C3: there is at most one goodbye, and nothing is sent after it', () => {
    always((moves) => {
      expect(count(moves, 'bye')).toBeLessThanOrEqual(1)
      for (const { effects, after } of moves) {
        const types = effects.map(({ type }) => type)
        if (!types.includes('bye')) continue
        expect(after).toBe('closed')
        expect(types.at(-1)).toBe('bye')
      }
    })
  })

  test('C4: a closed link and an internal error get no goodbye', () => {
    always((moves) => {
      for (const { event, effects } of moves) {
        if (event.type !== 'linkClosed' && event.type !== 'fault') continue
        expect(effects.map(({ type }) => type)).not.toContain('bye')
      }
    })
  })

  test('C5: a device is stored as connected at most once', () => {
    always((moves) => expect(count(moves, 'begin')).toBeLessThanOrEqual(1), { isAnswered: true })
  })

  test('C6: a device stored as connected is stored as disconnected, once', () => {
    always(
      (moves) => {
        const isAnswered = moves.some(
          ({ event: { type } }) => type === 'accepted' || type === 'notAccepted',
        )
        expect(count(moves, 'depart')).toBe(isAnswered ? 1 : 0)
      },
      { isAnswered: true, isEnded: true },
    )
  })

  test('C7: nothing is stored before a device is admitted, except over a link that repeats', () => {
    always((moves, kind) => {
      for (const { before, effects } of moves)
        for (const effect of effects) {
          if (effect.type !== 'store') continue
          const isEarly = before === 'opened' || before === 'greeting'
          expect(effect.isEarly).toBe(isEarly)
          expect(isEarly ? kind : before).toBe(isEarly ? 'repeating' : 'online')
        }
    })
  })

  test('C8: nothing is stored of or wanted from a device that people have not accepted', () => {
    always((moves) => {
      for (const { before, after, effects } of moves) {
        if (before !== 'held' && after !== 'held') continue
        for (const { type } of effects) expect(['store', 'lookForWork']).not.toContain(type)
      }
    })
  })

  test('C9: a message is acknowledged and counted after it was stored, and only once', () => {
    always(
      (moves) => {
        const isAsked = new Set<Kept>()
        const isDone = new Set<Kept>()
        for (const { event, effects } of moves)
          for (const effect of effects) {
            if (effect.type === 'store') isAsked.add(effect.kept)
            if (effect.type !== 'acknowledge') continue
            expect(event).toEqual({ type: 'stored', kept: effect.kept })
            expect(isAsked).toContain(effect.kept)
            expect(isDone).not.toContain(effect.kept)
            isDone.add(effect.kept)
          }
        expect(count(moves, 'count')).toBeGreaterThanOrEqual(isDone.size)
      },
      { isAnswered: true },
    )
  })

  test('C10: nothing is acknowledged before the welcome', () => {
    always((moves) => {
      for (const { before, effects } of moves)
        if (before === 'opened' || before === 'greeting')
          expect(effects.map(({ type }) => type)).not.toContain('acknowledge')
    })
  })

  test('C11: a device joins once, and is then welcomed', () => {
    always((moves) => {
      expect(count(moves, 'join')).toBeLessThanOrEqual(1)
      for (const { before, after, effects } of moves) {
        const types = effects.map(({ type }) => type)
        const joins = before === 'greeting' && (after === 'held' || after === 'online')
        expect(types.slice(0, 2).join() === 'join,welcome').toBe(joins)
        expect(types.includes('welcome')).toBe(joins)
      }
    })
  })

  test('C12: a hello is due until one arrives, and never again', () => {
    always((moves) => {
      let isDue = true
      for (const { before, event, after, effects } of moves) {
        if (event.type === 'helloOverdue') expect(after).toBe(isDue ? 'closed' : before)
        isDue &&= after === 'opened'
        const types = effects.map(({ type }) => type)
        if (types.includes('wait')) expect(['opened', 'greeting']).toContain(before)
      }
    })
  })

  test('C13: every message is answered, stored, or ends the connection', () => {
    always((moves) => {
      for (const { before, event, after, effects } of moves) {
        if (before === 'closed' || !said.has(event.type)) continue
        const types = effects.map(({ type }) => type)
        const answers = types.filter((type) => ['confirm', 'store', 'begin'].includes(type))
        expect(answers).toHaveLength(after === 'closed' ? 0 : 1)
      }
    })
  })

  test('C14: every message is confirmed at most once, and held if it is not stored', () => {
    always(
      (moves) => {
        const confirmed = new Set<Coming>()
        for (const { event, effects } of moves)
          for (const effect of effects) {
            if (effect.type !== 'confirm') continue
            expect(confirmed).not.toContain(effect.coming)
            confirmed.add(effect.coming)
            const isKept = 'kept' in event && event.type !== 'stored'
            expect(effect.outcome).toBe(isKept ? 'held' : 'done')
          }
      },
      { isAnswered: true },
    )
  })

  test('C15: a second hello ends the connection, or is welcomed over a link that repeats', () => {
    always((moves, kind) => {
      for (const { before, event, after, effects } of moves) {
        if (before === 'opened' || before === 'closed') continue
        if (event.type === 'otherHello') expect(after).toBe('closed')
        if (event.type !== 'hello') continue
        const isAnswered = kind === 'repeating' && before !== 'greeting'
        expect(after).toBe(isAnswered ? before : 'closed')
        expect(effects.some(({ type }) => type === 'welcomeAgain')).toBe(isAnswered)
      }
    })
  })
})
