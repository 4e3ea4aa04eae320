import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { toHex } from '@grove/secure-element/bytes'
import {
  bytesOf,
  expectedOf,
  problemsOfTemplate,
  readyAction,
  readyContains,
  stepFields,
  stepKinds,
  type TemplateContent,
  type TemplateStep,
} from './template-step.rules.ts'
import {
  fillText,
  partsOf,
  readParameters,
  TemplateValueError,
  type ParameterType,
  type ParameterValues,
  type TemplateParameter,
} from './template-parameter.rules.ts'

const valuesOf = (
  given: Record<string, string>,
  type: ParameterType = 'text',
  more: Partial<TemplateParameter> = {},
): ParameterValues =>
  readParameters(
    Object.keys(given).map((name) => ({ name, type, ...more })),
    given,
  ).values

const codeOf = (work: () => unknown): string => {
  try {
    work()
    return 'none'
  } catch (error) {
    return error instanceof TemplateValueError
      ? `${error.field} ${error.code}`
      : expect.fail(String(error))
  }
}

const bytes = fc.uint8Array({ minLength: 1, maxLength: 60 })
const names = fc.constantFrom('a', 'url', 'constructor', 'toString', 'hasOwnProperty', 'length')

test('a text without placeholders stays unchanged', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!/\{\{|\}\}/.test(text))
      expect(fillText('data', text, { isHex: false, values: new Map() })).toBe(text)
    }),
  )
})

test('a value replaces its placeholder, and is never expanded itself', () => {
  fc.assert(
    fc.property(names, fc.string(), (name, tail) => {
      const value = `{{${name}}}${tail.replaceAll(/\p{Surrogate}/gu, '')}`
      const values = valuesOf({ [name]: value, other: 'x' })
      expect(fillText('name', `<{{ ${name} }}>`, { isHex: false, values })).toBe(`<${value}>`)
    }),
  )
})

test('in bytes a text is encoded as UTF-8, and the length of a value is one byte', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 60 }), fc.nat(5), (given, plus) => {
      const text = given.replaceAll(/\p{Surrogate}/gu, '?')
      const utf8 = new TextEncoder().encode(text)
      fc.pre(utf8.length + plus <= 255)
      const values = valuesOf({ url: text })
      expect(fillText('data', `{{url.length+${plus}}}{{url}}`, { isHex: true, values })).toBe(
        toHex(Uint8Array.of(utf8.length + plus, ...utf8)),
      )
    }),
  )
})

test('hex is sent as intended, however it was typed', () => {
  fc.assert(
    fc.property(bytes, fc.constantFrom(' ', ':', '', '-'), (data, separator) => {
      const typed = Array.from(data, (byte) => toHex(Uint8Array.of(byte)).toLowerCase())
      const values = valuesOf({ data: typed.join(separator) }, 'hex')
      const action = { kind: 'MplStoreData', values: { data: '{{data}}' } } as const
      const [command] = bytesOf(readyAction(action, values))
      expect(toHex(command ?? new Uint8Array())).toBe(
        `80E28000${toHex(Uint8Array.of(data.length))}${toHex(data)}`,
      )
    }),
  )
})

test('any text splits into parts that make up the text again, or is refused by its field', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('{{', '}}', '{', '}', 'a', '.length', '+5', ' ', '__proto__')),
      (pieces) => {
        const text = pieces.join('')
        try {
          for (const part of partsOf('data', text))
            if (typeof part !== 'string') expect(part.parameter).toMatch(/^[A-Za-z]\w*$/)
        } catch (error) {
          expect(error).toMatchObject({ field: 'data', code: 'badPlaceholder' })
        }
      },
    ),
  )
})

test('hostile values are refused by the name of their parameter', () => {
  const parameters: TemplateParameter[] = [
    { name: 'aid', type: 'aid', isRequired: true },
    { name: 'count', type: 'number' },
    { name: 'kind', type: 'choice', choices: ['one', 'two'] },
    { name: 'text', type: 'text' },
  ]
  const wrong = {
    aid: 'D276000085010102030405060708090A0B0C',
    count: '-1',
    kind: 'constructor',
    text: '\uD800',
    ['__proto__x']: 'x',
    toString: 'x',
  }
  const { problems } = readParameters(parameters, wrong)
  expect(problems.map(({ field, code }) => [field, code])).toEqual([
    ['__proto__x', 'unknownParameter'],
    ['toString', 'unknownParameter'],
    ['aid', 'notAid'],
    ['count', 'wrongType'],
    ['kind', 'outOfRange'],
    ['text', 'wrongType'],
  ])
  const odd = readParameters(parameters, { aid: ['D2760000850101'], count: 4294967296 })
  expect(odd.problems.map(({ field, code }) => [field, code])).toEqual([
    ['aid', 'wrongType'],
    ['count', 'outOfRange'],
  ])
  expect(readParameters(parameters, {}).problems).toMatchObject([
    { field: 'aid', code: 'required' },
  ])
})

test('a parameter named like a JavaScript property counts only if it is defined', () => {
  const values = valuesOf({ a: 'x' })
  for (const name of ['constructor', 'toString', 'hasOwnProperty'])
    expect(codeOf(() => fillText('aid', `{{${name}}}`, { isHex: false, values }))).toBe(
      'aid unknownParameter',
    )
})

test('a field whose parameter is empty is left out', () => {
  const values = readParameters([{ name: 'aid', type: 'aid' }], {}).values
  expect(readyAction({ kind: 'MplSelect', values: { aid: '{{aid}}' } }, values)).toMatchObject({
    values: { aid: undefined },
  })
  const deleted = { kind: 'MplDelete', values: { target: 'object', aid: '{{aid}}' } } as const
  expect(codeOf(() => readyAction(deleted, values))).toBe(' cannotEncode')
})

test('a number is one where its field is, and one byte among bytes', () => {
  const values = valuesOf({ finger: '3' }, 'number')
  const enrol = {
    kind: 'Fingerprint',
    values: { operation: 'enrol', finger: '{{finger}}' },
  } as const
  expect(bytesOf(readyAction(enrol, values)).map(toHex)).toEqual(['84590300020003'])
  expect(fillText('data', '00{{finger}}', { isHex: true, values })).toBe('0003')
  expect(
    codeOf(() =>
      fillText('data', '{{big}}', { isHex: true, values: valuesOf({ big: '256' }, 'number') }),
    ),
  ).toBe('data tooLong')
})

test('a step that uses a secret parameter keeps its data out of the log', () => {
  const values = valuesOf({ pin: '1234' }, 'hex', { isSecret: true })
  const step = { kind: 'MplStoreData', values: { data: '01{{pin}}' } } as const
  expect(readyAction(step, values)).toMatchObject({ isSecret: true })
  expect(readyAction({ ...step, values: { data: '01' } }, values)).toMatchObject({
    isSecret: false,
  })
})

const step = (more: Partial<TemplateStep> = {}): TemplateStep => ({
  kind: 'MplSelect',
  values: {},
  ...more,
})
const found = (content: Partial<TemplateContent>) =>
  problemsOfTemplate({ parameters: [], steps: [step()], ...content }).map(
    ({ step: at, isRollback, parameterAt, field, code }) =>
      `${parameterAt === null ? `step ${at}${isRollback ? ' rollback' : ''}` : `parameter ${parameterAt}`} ${field} ${code}`,
  )

test('mistakes are named by step and field', () => {
  expect(found({})).toEqual([])
  expect(found({ steps: [] })).toEqual(['step null steps noSteps'])
  expect(
    found({
      steps: [
        step({ values: { aid: 'A0' }, contains: 'zz', expect: ['6', '9000'] }),
        step({ kind: 'MplDelete', values: { aid: '{{nobody}}' } }),
        step({ values: { aid: '{{' } }),
        step({ kind: 'installApplet', values: { applet: 'x' } }),
        step({ rollback: { kind: 'MplGetData', values: {} } }),
        step({ kind: 'MplSetStatus', values: { target: 'card', cardState: 'terminated' } }),
      ],
    }),
  ).toEqual([
    'step 0 aid notAid',
    'step 0 contains notHex',
    'step 0 expect badStatusWord',
    'step 1 aid unknownParameter',
    'step 2 aid badPlaceholder',
    'step 3 applet notApplet',
    'step 3  noChannel',
    'step 4 rollback tag required',
    'step 5 cardState finalState',
  ])
})

test('mistakes of parameters are named by parameter and field', () => {
  expect(
    found({
      parameters: [
        { name: '1st', type: 'text' },
        { name: 'a', type: 'number', default: 'x' },
        { name: 'a', type: 'choice', choices: ['', ' '] },
        { name: 'b', type: 'choice', choices: ['x'], default: 'y' },
        { name: 'c', type: 'hex', isSecret: true, default: 'C0FFEE' },
      ],
    }),
  ).toEqual([
    'parameter 0 name badName',
    'parameter 1 default wrongType',
    'parameter 2 name duplicateName',
    'parameter 2 choices noChoices',
    'parameter 3 default outOfRange',
    'parameter 4 default secretDefault',
  ])
})

test('every choice of a parameter has to fit every place where it is used', () => {
  const steps = [step({ values: { aid: '{{aid}}' } })]
  const choice = (choices: string[]): TemplateParameter => ({
    name: 'aid',
    type: 'choice',
    choices,
  })
  expect(found({ parameters: [choice(['D276000085', 'A000000151'])], steps })).toEqual([])
  expect(found({ parameters: [choice(['D276000085', 'A0'])], steps })).toEqual([
    'step 0 aid notAid',
  ])
})

test('a select ends the channel that later steps need', () => {
  const applet = '0198f0a2-6a52-7c3e-9d7a-6f2d0c1b9e55'
  const open = step({ kind: 'openChannel' })
  const install = step({ kind: 'installApplet', values: { applet } })
  expect(found({ steps: [open, install] })).toEqual([])
  expect(found({ steps: [open, step(), install] })).toEqual(['step 2  noChannel'])
})

test('no step puts keys, and each kind has fields', () => {
  expect(stepKinds).not.toContain('MplPutKey')
  for (const kind of stepKinds) expect(Object.keys(stepFields(kind)).length).toBeGreaterThan(0)
})

test('a step expects 9000, and a list may have more than one reply', () => {
  expect(expectedOf({ kind: 'MplSelect' })).toEqual(['9000'])
  expect(expectedOf({ kind: 'MplGetStatus' })).toEqual(['9000', '6310'])
  expect(expectedOf({ kind: 'MplDelete', expect: ['6a88'] })).toEqual(['6A88'])
  expect(toHex(readyContains('D1 {{a}}', valuesOf({ a: 'x' })))).toBe('D178')
})

test('a step of raw bytes is one command that a session would send too', () => {
  const raw = (command: string, more: object = {}) =>
    codeOf(() =>
      readyAction({ kind: 'raw', values: { command, ...more } }, valuesOf({ pin: '31' })),
    )
  expect(raw('80 AA 01 02 00')).toBe('none')
  expect(raw('0020008000')).toBe('none')
  expect(raw('0020008001{{pin}}')).toBe('command needsSecret')
  expect(raw('80AA01')).toBe('command cannotEncode')
  expect(raw('80AA0102 05 00')).toBe('command cannotEncode')
  expect(raw('80D8008101 00')).toBe('command reserved')
  expect(raw('80F080FF00')).toBe('command finalState')
  expect(raw('80F0800F00')).toBe('command reserved')
  const secret = valuesOf({ pin: '31' }, 'hex', { isSecret: true })
  const values = { command: '0020008001{{pin}}' }
  expect(readyAction({ kind: 'raw', values }, secret)).toMatchObject({ isSecret: true })
})

test('after raw bytes that end the channel an applet needs another one', () => {
  const applet = '01a0cb3e-6f0e-4f6e-8f60-04d26b1c6a11'
  const after = (values: object) =>
    problemsOfTemplate({
      parameters: [],
      steps: [
        { kind: 'openChannel', values: {} },
        { kind: 'raw', values: { ...values } },
        { kind: 'deleteApplet', values: { applet } },
      ],
    }).map(({ code }) => code)
  expect(after({ command: '80CA006600' })).toEqual([])
  expect(after({ command: '00 A4 04 00 00' })).toEqual(['noChannel'])
  expect(after({ command: '80CA006600', isPlain: true })).toEqual(['noChannel'])
})
