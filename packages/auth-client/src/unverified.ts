import type { TokenDetails } from './types.ts'

/** The details of a token that is missing, ended, or not verified. */
export const UNVERIFIED: TokenDetails = {
  is_admin: false,
  is_developer: false,
  is_expired: true,
  is_valid: false,
  roles: [],
  provider: null,
  user_id: null,
}
