import { Type } from 'typebox'
import { defineCalls, listsBy, scoped } from '../../call.ts'
import { Nullable, Timestamp } from '../../shapes.ts'
import { CplcText } from '../base/cplc.ts'
import { timelineKinds, timelineSorting } from './timeline.rules.ts'

const Entry = Type.Object({
  /** The kind, and the id of the object. */
  id: Type.String(),
  kind: Type.Enum(timelineKinds),
  /** When it began. */
  at: Timestamp,
  /**
   * What happened: the action of an event or approval, the purpose of a session, the kind of a job.
   */
  name: Type.String(),
  /** The outcome; null for something that happens immediately. */
  state: Nullable(Type.String()),
  /** The id of the user; null for the platform itself. */
  by: Nullable(Type.String()),
  /**
   * What else it involved: the device, the applet, template or script, or the version of the new
   * keys.
   */
  about: Nullable(Type.String()),
  /** For a run: the id of its template or script. */
  programId: Nullable(Type.String()),
  /** The session that it ran in. */
  sessionId: Nullable(Type.String()),
  /** For an event: the subject before and after it. */
  before: Type.Unknown(),
  after: Type.Unknown(),
})
export type TimelineEntry = Type.Static<typeof Entry>

export const timelineCalls = defineCalls('maple', scoped('element.read', 'element.change'), {
  'GET /api/maple/se/timeline': {
    summary: 'List what happened to a secure element, the newest first',
    description:
      'Events, sessions, operations, installations, runs of templates and scripts, key changes, exports and approvals, also under its former CPLCs. What a caller may not read elsewhere is left out here: sessions, applets, programs and events have rights of their own.',
    ...listsBy(Entry, timelineSorting, {
      cplc: CplcText,
      kind: Type.Enum(timelineKinds),
    }),
    problems: ['bad_cursor', 'not_found'],
  },
})
