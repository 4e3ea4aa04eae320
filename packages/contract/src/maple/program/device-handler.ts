import { Type } from 'typebox'
import { changes, creates, defineCalls, deletes, listsBy, scoped } from '../../call.ts'
import { Name, Nullable, optional, Right, SearchText, stored, Strict, Uuid } from '../../shapes.ts'
import { ProgramFailure, versionCalls, VersionOf, type VersionItem } from '../../core/program.ts'
import { commandNamePattern } from '../base/command-name.rules.ts'
import {
  decodingStates,
  deviceHandlerSorting,
  deviceHandlerStates,
  deviceHandlerVersionSorting,
  maxDeviceHandlerCodeLength,
  maxDeviceHandlerNameLength,
  maxDeviceHandlerNoteLength,
  maxPayloadLength,
  maxTestErrorLength,
  maxTestNameLength,
  maxTopicLength,
  maxDeviceHandlers,
  maxHandlerTests,
  maxPort,
  payloadHexPattern,
  topicPattern,
} from './device-handler.rules.ts'

const Code = Type.String({
  maxLength: maxDeviceHandlerCodeLength,
  examples: ['const decode = ({ bytes }) => ({ telemetry: { level: bytes[0] } })'],
})
const Note = Type.String({ maxLength: maxDeviceHandlerNoteLength, examples: ['Door sensor'] })

const way = optional({
  port: Type.Integer({ minimum: 0, maximum: maxPort }),
  topic: Type.String({ pattern: topicPattern, maxLength: maxTopicLength, examples: ['state'] }),
})

/** The input of a handler's function. */
const Input = Type.Union([
  Strict({
    call: Type.Literal('decode'),
    /** The payload, two digits a byte. */
    hex: Type.String({
      pattern: payloadHexPattern,
      maxLength: 2 * maxPayloadLength,
      examples: ['1A02'],
    }),
    ...way,
  }),
  Strict({
    call: Type.Literal('encode'),
    name: Type.String({ pattern: commandNamePattern, examples: ['blink'] }),
    data: Type.Unknown({ examples: [{}] }),
  }),
])
export type DeviceHandlerInput = Type.Static<typeof Input>

const Test = Strict({
  name: Name(maxTestNameLength),
  input: Input,
  /** The expected value, or part of the failure's message. */
  expected: Type.Union([
    Strict({ value: Type.Unknown({ examples: [{}] }) }),
    Strict({ error: Type.String({ maxLength: maxTestErrorLength }) }),
  ]),
})
export type DeviceHandlerTest = Type.Static<typeof Test>
const Tests = Type.Array(Test, { maxItems: maxHandlerTests })

const item = {
  id: Uuid,
  /** The service provider that it belongs to. */
  serviceId: Nullable(Type.String()),
  name: Type.String(),
  note: Type.String(),
  state: Type.Enum(deviceHandlerStates),
  /** The newest version, which decodes the messages of devices. */
  version: Nullable(Type.Integer()),
  /** Whether the draft differs from that version. */
  isChanged: Type.Boolean(),
  createdBy: Nullable(Type.String()),
  rights: Type.Object({
    /** Also publish. */
    change: Right('forbidden'),
    /** Try code. */
    run: Right('forbidden'),
  }),
  ...stored,
}
const Item = Type.Object(item)
export type DeviceHandlerItem = Type.Static<typeof Item>

const Handler = Type.Object({
  ...item,
  code: Type.String(),
  tests: Type.Array(Test),
  /** Products whose devices it decodes for. */
  products: Type.Array(Type.Object({ id: Uuid, name: Type.String() })),
})
export type DeviceHandler = Type.Static<typeof Handler>

const Version = VersionOf({ code: Type.String(), tests: Type.Array(Test) })
export type DeviceHandlerVersionItem = VersionItem
export type DeviceHandlerVersion = Type.Static<typeof Version>

export type DeviceHandlerFailure = ProgramFailure

const Result = Type.Union([
  Type.Object({ value: Type.Unknown() }),
  Type.Object({ error: ProgramFailure }),
])
export type DeviceHandlerResult = Type.Static<typeof Result>

/** The outcome of a payload that a device sent. */
export const Decoding = Type.Object({
  state: Type.Enum(decodingStates),
  handlerId: Nullable(Uuid),
  version: Nullable(Type.Integer()),
  /** The result of `decode`. */
  value: Type.Unknown(),
  error: Nullable(ProgramFailure),
})
export type Decoding = Type.Static<typeof Decoding>

const run = { right: 'program.run', isScoped: true } as const

const draft = { name: Name(maxDeviceHandlerNameLength), note: Note, code: Code, tests: Tests }

const access = scoped('program.read', 'program.change')

export const deviceHandlerCalls = defineCalls('maple', access, {
  'GET /api/maple/device_handlers': {
    summary: 'List device handlers',
    ...listsBy(Item, deviceHandlerSorting, {
      id: Uuid,
      q: SearchText('The beginnings of words of a name'),
      state: Type.Enum(deviceHandlerStates),
    }),
  },
  'POST /api/maple/device_handlers': {
    summary: 'Create a device handler',
    description: `It is a draft until it is published. A service provider has at most ${maxDeviceHandlers}.`,
    body: Strict({
      name: draft.name,
      ...optional({ note: Note, code: Code, tests: Tests }),
    }),
    ...creates(Handler, 'already_exists', 'limit_reached', 'service_suspended'),
  },
  'POST /api/maple/device_handlers/run': {
    summary: 'Try code on payloads and commands',
    description:
      'Runs `decode` or `encode` of the code that is sent on each input, and stores nothing. `problem` is a mistake in the code itself; then there are no results.',
    access: run,
    body: Strict({
      code: Code,
      inputs: Type.Array(Input, { maxItems: maxHandlerTests }),
    }),
    response: Type.Object({
      problem: Nullable(ProgramFailure),
      /** One for each input, in their order. */
      results: Type.Array(Result),
    }),
    problems: ['limit_reached'],
  },
  'GET /api/maple/device_handlers/{id}': {
    summary: 'Read a device handler with its draft',
    response: Handler,
  },
  'PUT /api/maple/device_handlers/{id}': {
    summary: 'Change a device handler or its draft',
    description: 'What is published stays as it is. The draft may be wrong.',
    body: Strict(optional(draft)),
    ...changes(Handler, 'already_exists'),
  },
  'DELETE /api/maple/device_handlers/{id}': {
    summary: 'Delete a device handler that no product uses',
    ...deletes('device_handler_in_use'),
  },
  ...versionCalls('/api/maple/device_handlers', {
    of: 'a device handler',
    content: 'its code and tests',
    version: Version,
    note: Note,
    sorting: deviceHandlerVersionSorting,
    publish: {
      description:
        'Every test must pass. From then on the version decodes the messages of devices whose product uses the handler.',
      problems: ['limit_reached'],
    },
  }),
})
