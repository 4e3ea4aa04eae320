export { oidc } from './oidc.ts'
export { OidcError } from './oidc-error.ts'
export type {
  EndSession,
  OidcClient,
  OidcMetadata,
  OidcOptions,
  RedirectResult,
  SignInOptions,
  SignOutOptions,
} from './types.ts'
