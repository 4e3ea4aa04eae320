import { Type } from 'typebox'
import { defineCalls, listsBy, scoped } from '../../call.ts'
import { Name, noContent, Nullable, SearchText, Strict, Timestamp, Uuid } from '../../shapes.ts'
import {
  maxReaders,
  pairingMinutes,
  pairingPattern,
  readerNameLimit,
  readerSearchLimit,
  readerSorting,
  readerStates,
} from './reader.rules.ts'

const Reader = Type.Object({
  id: Uuid,
  name: Type.String(),
  /** The service provider whose elements it can reach; null for those without one. */
  serviceId: Nullable(Type.String()),
  state: Type.Enum(readerStates),
  /** What PC/SC calls it on its machine. */
  pcscName: Nullable(Type.String()),
  /** What its machine calls itself. */
  host: Nullable(Type.String()),
  /** Null while it is not connected. */
  connectedAt: Nullable(Timestamp),
  /** Of the card in it now, in hex. */
  atr: Nullable(Type.String()),
  cplc: Nullable(Type.String()),
  /** Whether the element in it is registered here. */
  isKnown: Type.Boolean(),
  addedBy: Nullable(Type.String()),
  seenAt: Nullable(Timestamp),
  createdAt: Timestamp,
})
export type Reader = Type.Static<typeof Reader>

const NewReader = Type.Object({
  ...Reader.properties,
  code: Type.String(),
  codeExpiresAt: Timestamp,
})
/** With its pairing code, which is shown this one time. */
export type NewReader = Type.Static<typeof NewReader>

const access = scoped('session.read', 'session.run')

export const readerCalls = defineCalls('maple', access, {
  'GET /api/maple/reader': {
    summary: 'List PC/SC readers that are connected or may connect',
    description: `At most ${maxReaders} of each service provider. A search finds by the beginnings of words of a name and looks at the first ${readerSearchLimit}. An id finds only that reader.`,
    ...listsBy(Reader, readerSorting, {
      id: Uuid,
      q: SearchText('The beginnings of words of a name'),
    }),
  },
  'POST /api/maple/reader': {
    summary: 'Allow a PC/SC reader to connect',
    description: `The program that has the reader exchanges the code, once and within ${pairingMinutes} minutes, for a key of its own.`,
    body: Strict({ name: Name(readerNameLimit) }),
    response: NewReader,
    status: 201,
    problems: ['limit_reached'],
  },
  'DELETE /api/maple/reader': {
    summary: 'Disconnect a reader for good',
    query: Strict({ id: Uuid }),
    ...noContent,
    problems: ['not_found'],
  },
  'POST /api/maple/reader/claim': {
    summary: 'Exchange a pairing code for the key of a reader',
    description:
      'The key opens the WebSocket `/api/maple/reader/socket` until the reader is disconnected for good.',
    access: 'public',
    body: Strict({ code: Type.String({ pattern: pairingPattern, examples: ['7K2QF-9M4XT'] }) }),
    response: Type.Object({ id: Uuid, name: Type.String(), key: Type.String() }),
    problems: ['wrong_pairing_code'],
  },
})
