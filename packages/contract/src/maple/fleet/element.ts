import { Type, type TSchema } from 'typebox'
import { changes, creates, defineCalls, deletes, scoped } from '../../call.ts'
import { ListQuery, Nullable, Page, Right, stored, Strict, Timestamp } from '../../shapes.ts'
import { CplcText } from '../base/cplc.ts'
import { maxCplcTextLength } from '../base/cplc.rules.ts'
import { approvalActions } from '../access/approval.rules.ts'
import {
  chipTypePattern,
  elementCountLimit,
  elementSearchLimit,
  elementSorting,
  elementStates,
  profileIdPattern,
} from './element.rules.ts'

/** What only the card had, what differed, and what only the records had. */
const Parts = <Part extends TSchema>(part: Part) => ({
  added: Type.Array(part),
  changed: Type.Array(part),
  removed: Type.Array(part),
})
const Aids = Type.Object(Parts(Type.String()))

const Difference = Type.Object({
  at: Timestamp,
  /** The session in which the card was read. */
  sessionId: Type.String(),
  state: Nullable(
    Type.Object({ before: Type.Enum(elementStates), after: Type.Enum(elementStates) }),
  ),
  /** By their AIDs. */
  domains: Aids,
  applications: Aids,
  loadFiles: Aids,
  /** By version, for each security domain whose keys differed; null is the issuer's. */
  keys: Type.Array(Type.Object({ domain: Nullable(Type.String()), ...Parts(Type.Integer()) })),
})
export type ElementDifference = Type.Static<typeof Difference>

export const Element = Type.Object({
  /** The CPLC. */
  id: Type.String(),
  cplc: Type.String(),
  /** Fabricator, type, fabrication date, serial and batch: personalisation does not change them. */
  chipId: Type.String(),
  state: Type.Enum(elementStates),
  /** The profile of the element, assigned by hand or by rule. */
  profile: Nullable(
    Type.Object({ id: Type.String(), name: Type.String(), isAssigned: Type.Boolean() }),
  ),
  device: Nullable(Type.Object({ id: Type.String(), name: Type.String(), attachedAt: Timestamp })),
  /** The keys are kept in an HSM. */
  hsm: Type.Boolean(),
  /** What waits for other people's approval, or was approved and is being done. */
  approvals: Type.Array(
    Type.Object({
      id: Type.String(),
      action: Type.Enum(approvalActions),
      state: Type.Enum(['pending', 'approved']),
      createdAt: Timestamp,
    }),
  ),
  /** The CPLCs of other elements with the same chip id, up to 8. */
  conflicts: Type.Array(Type.String()),
  /** The CPLCs before the chip was personalised again, latest first. */
  history: Type.Array(Type.Object({ cplc: Type.String(), replacedAt: Timestamp })),
  /** How the card differed from Grove’s records when it was read, until someone has looked at it. */
  difference: Nullable(Difference),
  rights: Type.Object({
    delete: Right('element_attached'),
    hsm: Right('transition_refused'),
    terminate: Right('element_terminated', 'element_blocked'),
  }),
  ...stored,
})
export type SecureElement = Type.Static<typeof Element>

const states = `(${elementStates.join('|')})`

const access = scoped('element.read', 'element.change')

export const elementCalls = defineCalls('maple', access, {
  'GET /api/maple/se/element': {
    summary: 'List secure elements',
    description: `A search finds by the beginning of a CPLC, a chip id (24 hex digits) or, from 4 digits, an IC serial (8 hex digits); text that is no hex finds by the words of the name of the device, or the beginning of the name of a software card. It looks at the first ${elementSearchLimit} matches of each. Filters decide what the list can be sorted by: with \`profile\` or \`hasProfile\` cplc and state; with \`chipType\` not updatedAt; with \`state\`, \`attached\` or \`hsm\` not chipId; a search any. A \`cplc\` finds only that element, also by a CPLC that it had before.`,
    query: ListQuery(
      {
        cplc: CplcText,
        q: Type.String({
          maxLength: maxCplcTextLength,
          description: 'The beginning of a CPLC, a chip id or an IC serial, or words of a name',
        }),
        profile: Type.String({ pattern: profileIdPattern }),
        hasProfile: Type.Boolean({
          description: 'Whether it has a profile, by hand or by the rule of one',
        }),
        state: Type.String({
          pattern: `^${states}(,${states})*$`,
          description: 'States, separated by commas',
        }),
        chipType: Type.String({
          pattern: chipTypePattern,
          description: 'Fabricator and type: the first 8 hex digits of the CPLC',
        }),
        attached: Type.Boolean({ description: 'Whether a device has it' }),
        hsm: Type.Boolean({ description: 'Whether its keys are kept in an HSM' }),
        reading: Type.Enum(['differs'], {
          description:
            'Only elements whose cards differed from Grove’s records, until somebody has looked',
        }),
        count: Type.Boolean({
          description: `Also count the matches: all, but of a chip type or a profile up to ${elementCountLimit}`,
        }),
      },
      elementSorting,
    ),
    response: Type.Object({
      ...Page(Element).properties,
      /** Only with `count=true`; `isCapped`: there are more than `value`. */
      count: Type.Optional(Type.Object({ value: Type.Integer(), isCapped: Type.Boolean() })),
      /** The search has more matches than it reads; a longer text finds the rest. */
      isTruncated: Type.Boolean(),
    }),
    problems: ['bad_cursor'],
  },
  'POST /api/maple/se/element': {
    summary: 'Register a secure element',
    description:
      'An element with the same chip id is refused unless the request says what that means: `replaces` names the element whose chip was personalised again (the new CPLC takes its place, the old one is kept as history), `isOtherChip` registers a second chip with the same id.',
    body: Strict({
      cplc: CplcText,
      state: Type.Optional(Type.Enum(elementStates)),
      replaces: Type.Optional(CplcText),
      isOtherChip: Type.Optional(Type.Boolean()),
    }),
    ...creates(
      Element,
      'not_found',
      'already_exists',
      'chip_known',
      'chip_differs',
      'element_attached',
    ),
  },
  'DELETE /api/maple/se/element': {
    summary: 'Delete a secure element that no device has',
    query: Strict({ cplc: CplcText }),
    ...deletes('element_attached'),
  },
  'POST /api/maple/se/hsm': {
    summary: 'Keep the keys of a secure element in an HSM, or in the software vault',
    description:
      'In an HSM, keys are used but never exported. Two other people must approve the switch: until then the element is answered as it is, with the request in `approvals`. Then a job gives the card new keys that are kept in the new place. Repeating it changes nothing.',
    access: { right: 'element.secure', isScoped: true },
    body: Strict({ cplc: CplcText, enable: Type.Boolean() }),
    ...changes(Element, 'transition_refused', 'hsm_unavailable'),
  },
  'POST /api/maple/se/unblock': {
    summary: 'Let a blocked element be tried again',
    description:
      'After keys that did not fit. One more attempt counts against the card’s own limit.',
    access: { right: 'element.secure', isScoped: true },
    body: Strict({ cplc: CplcText }),
    response: Type.Object({ cplc: Type.String(), state: Type.String() }),
    problems: ['not_found', 'transition_refused'],
  },
})
