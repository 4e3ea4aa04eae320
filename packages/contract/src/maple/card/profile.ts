import { Type } from 'typebox'
import { changes, creates, defineCalls, deletes } from '../../call.ts'
import { Name, Nullable, stored, Strict } from '../../shapes.ts'
import { Element } from '../fleet/element.ts'
import { CplcText } from '../base/cplc.ts'
import {
  maxProfileNameLength,
  maxProfiles,
  platformPattern,
  profileIdPattern,
} from '../fleet/element.rules.ts'

const ProfileId = Type.String({ pattern: profileIdPattern, examples: ['transit-card'] })

const Profile = Type.Object({
  id: Type.String(),
  name: Type.String(),
  /** The rule: the first 10 bytes of a CPLC. Null for a profile that is only assigned by hand. */
  platform: Nullable(Type.String()),
  ...stored,
})
export type SecureElementProfile = Type.Static<typeof Profile>

const access = {
  read: { right: 'element.read', isScoped: true },
  change: { right: 'element.change' },
} as const

export const elementProfileCalls = defineCalls('maple', access, {
  'GET /api/maple/se/profiles': {
    summary: 'List the profiles of secure elements',
    response: Type.Object({
      items: Type.Array(Profile),
      /** The platforms of the elements, up to 200: the first 10 bytes of their CPLCs. */
      platforms: Type.Array(Type.String()),
    }),
  },
  'POST /api/maple/se/profiles': {
    summary: 'Create a profile',
    description: `There are at most ${maxProfiles}. Its rule applies at once to every element that has no profile assigned by hand.`,
    body: Strict({
      id: ProfileId,
      name: Name(maxProfileNameLength),
      platform: Type.Optional(
        Nullable(Type.String({ pattern: platformPattern, examples: ['47906B644700E4D80300'] })),
      ),
    }),
    ...creates(Profile, 'already_exists', 'limit_reached'),
  },
  'PUT /api/maple/se/profiles': {
    summary: 'Assign a profile to a secure element',
    description: 'Null returns the element to the rules of the profiles.',
    access: { right: 'element.change', isScoped: true },
    body: Strict({ cplc: CplcText, profile_id: Nullable(ProfileId) }),
    ...changes(Element),
  },
  'PUT /api/maple/se/profiles/name': {
    summary: 'Rename a profile',
    query: Strict({ id: ProfileId }),
    body: Strict({ name: Name(maxProfileNameLength) }),
    ...changes(Profile),
  },
  'DELETE /api/maple/se/profiles': {
    summary: 'Delete a profile that no element is assigned to by hand',
    query: Strict({ id: ProfileId }),
    ...deletes('profile_in_use'),
  },
})
