import { aidPattern } from '@grove/secure-element/aid'
import { exportBreakCodes } from '@grove/secure-element/cap/verify/compare-exports'
import { capSeverities } from '@grove/secure-element/cap/verify/finding'
import { capFindingCodes } from '@grove/secure-element/cap/verify/finding-texts'
import { Type } from 'typebox'
import { changes, creates, defineCalls, deletes, listsBy, scoped } from '../../call.ts'
import { Nullable, Right, SearchText, Strict, Timestamp, Uuid } from '../../shapes.ts'
import {
  appletSearchLimit,
  appletSorting,
  appletUseLimit,
  installedSorting,
  largestCapFile,
} from './applet.rules.ts'
import { artifact, ArtifactMove, fileDownload, moves } from '../../core/artifact.ts'
import { artifactStates } from '../../core/artifact.rules.ts'
import { CplcText } from '../base/cplc.ts'

const Aid = Type.String({ pattern: aidPattern, examples: ['D2760000850101'] })
const PackageVersion = Type.Object({
  aid: Type.String(),
  major: Type.Integer(),
  minor: Type.Integer(),
})

const Applet = Type.Object({
  /** Name and version are the package's, such as `com.example.wallet` and `1.2`. */
  ...artifact,
  packageAid: Type.String(),
  /** The classes that instances are created from. */
  applets: Type.Array(Type.Object({ aid: Type.String(), name: Nullable(Type.String()) })),
  imports: Type.Array(PackageVersion),
  /** The oldest Java Card that has the imported framework. */
  javaCard: Nullable(Type.String()),
  /** Of the CAP file, such as `2.1`. */
  format: Type.String(),
  usesIntegers: Type.Boolean(),
  hasExports: Type.Boolean(),
  components: Type.Array(Type.Object({ name: Type.String(), size: Type.Integer() })),
  /** Signatures for domains that verify load files, such as `rsa.sha256`. */
  signatures: Type.Array(Type.String()),
  /** The bytes that LOAD sends, and their SHA-256. */
  loadSize: Type.Integer(),
  loadHash: Type.String(),
  rights: Type.Object({
    ...moves,
    install: Right('applet_revoked'),
    delete: Right('applet_in_use'),
  }),
})
export type Applet = Type.Static<typeof Applet>

const InstalledInstance = Type.Object({
  aid: Type.String(),
  /** Not every card reports it. */
  moduleAid: Nullable(Type.String()),
  state: Type.String(),
})

const Installed = Type.Object({
  cplc: Type.String(),
  device: Nullable(Type.Object({ id: Type.String(), name: Type.String() })),
  packageAid: Type.String(),
  version: Nullable(Type.String()),
  /** The upload that it was installed from, if known. */
  appletId: Nullable(Uuid),
  name: Nullable(Type.String()),
  instances: Type.Array(InstalledInstance),
  /** The session that installed it, if Grove did. */
  sessionId: Nullable(Type.String()),
  /** When the card was last read. */
  readAt: Timestamp,
})
export type InstalledApplet = Type.Static<typeof Installed>

const Verified = Type.Object({
  findings: Type.Array(
    Type.Object({
      severity: Type.Enum([...capSeverities]),
      code: Type.Enum(capFindingCodes),
      /** No card can link the package: a pre-flight refuses it for all cards except software cards. */
      stopsLoading: Type.Boolean(),
      component: Type.String(),
      /**
       * From the first byte after tag and size, or in the method's block; null for the whole
       * component.
       */
      offset: Nullable(Type.Integer()),
      method: Nullable(
        Type.Object({
          /** Its index in the Method component, and the offset of its header there. */
          number: Type.Integer(),
          offset: Type.Integer(),
          /** In the extended format. */
          block: Nullable(Type.Integer()),
          /** From Descriptor, if present: offset and token of the class, token of the method. */
          classOffset: Nullable(Type.Integer()),
          classToken: Nullable(Type.Integer()),
          token: Nullable(Type.Integer()),
        }),
      ),
      message: Type.String(),
      /** The values in the message, for a client's own text. */
      params: Type.Record(Type.String(), Type.String()),
    }),
  ),
  /** There is more than listed, or more code than was examined. */
  isTruncated: Type.Boolean(),
  methods: Type.Integer(),
  instructions: Type.Integer(),
  /** Without Descriptor, only reachable code was examined. */
  hasDescriptor: Type.Boolean(),
  /** The previous upload of the same major version, and the exports that have disappeared since. */
  former: Nullable(
    Type.Object({
      id: Uuid,
      version: Type.String(),
      breaks: Type.Array(
        Type.Object({
          code: Type.Enum([...exportBreakCodes]),
          packageNumber: Type.Integer(),
          classToken: Type.Integer(),
          token: Nullable(Type.Integer()),
          message: Type.String(),
        }),
      ),
    }),
  ),
})
export type CapVerified = Type.Static<typeof Verified>

const access = scoped('applet.read', 'applet.change')

export const appletCalls = defineCalls('maple', access, {
  'GET /api/maple/applets': {
    summary: 'List the applets of a service provider',
    description: `A search finds by the beginnings of words of a name or by the beginning of an AID, and looks at the first ${appletSearchLimit} matches of each. A \`package\` finds the versions of one package.`,
    ...listsBy(Applet, appletSorting, {
      id: Uuid,
      q: SearchText('The beginnings of words of a name, or the beginning of an AID'),
      package: Aid,
      state: Type.Enum(artifactStates),
    }),
  },
  'POST /api/maple/applets': {
    summary: 'Upload a CAP file',
    description: `At most ${largestCapFile / 1024 / 1024} MB. A file that is not a whole CAP file is refused with what is wrong and where.`,
    form: Strict({}),
    ...creates(
      Applet,
      'file_missing',
      'file_too_large',
      'applet_unreadable',
      'already_exists',
      'service_suspended',
    ),
  },
  'GET /api/maple/applets/{id}': { summary: 'Read an applet', response: Applet },
  'GET /api/maple/applets/{id}/file': {
    summary: 'Download the CAP file of an applet',
    ...fileDownload,
  },
  'GET /api/maple/applets/{id}/verification': {
    summary: 'Verify structure and references of a CAP file',
    description:
      'Looks at every component and instruction (Java Card VM Specification 3.1, chapters 6 and 7), and at the exports of the former version. Types of values are not followed through the code, as Oracle’s verifier does, and nothing is executed.',
    response: Verified,
    problems: ['file_damaged', 'storage_unavailable'],
  },
  'POST /api/maple/applets/{id}/state': {
    summary: 'Verify, release or revoke an applet',
    description:
      'To verify it, the server loads it on a fresh software card that has everything it imports, installs each applet and deletes them again. Only a released applet can be installed on an element that is no software card.',
    body: ArtifactMove,
    ...changes(
      Applet,
      'transition_refused',
      'applet_refused',
      'version_taken',
      'file_damaged',
      'storage_unavailable',
    ),
  },
  'DELETE /api/maple/applets/{id}': {
    summary: 'Delete an applet that no element has',
    ...deletes('applet_in_use'),
  },
  'GET /api/maple/applets/{id}/impact': {
    summary: 'Count the elements that have an applet',
    description: `It can be deleted when there are none. The count stops at ${appletUseLimit}.`,
    response: Type.Object({
      elements: Type.Object({ value: Type.Integer(), isCapped: Type.Boolean() }),
    }),
  },
  'GET /api/maple/applets/{id}/installed': {
    summary: 'List the elements that have an applet',
    ...listsBy(Installed, installedSorting, {}),
  },
  'GET /api/maple/se/applets': {
    summary: 'List what is installed on an element, as last read or done',
    query: Strict({ cplc: CplcText }),
    response: Type.Object({
      items: Type.Array(
        Type.Object({
          ...Installed.properties,
          /** Loaded bytes of an upload of the service provider; null for other packages. */
          loadSize: Nullable(Type.Integer()),
        }),
      ),
      /** Free bytes for code and data; null if the card did not say. */
      freeMemory: Nullable(Type.Integer()),
      readAt: Nullable(Timestamp),
    }),
    problems: ['not_found'],
  },
})
