export { createAuthClient } from './create-auth-client.ts'
export type {
  AnonymousOptions,
  AuthClient,
  AuthClientOptions,
  AuthRequestInit,
  AuthenticatedRequestInit,
  CallOptions,
  CompleteExternalLoginOptions,
  ExternalLoginAnswer,
  ExternalLoginInfo,
  Path,
  StartExternalLoginOptions,
  TokenDetails,
  VerificationOptions,
  WaitOptions,
} from './types.ts'
export type { ExternalLoginError, ExternalLoginErrorCode } from './sign-in/external-login-error.ts'
export { AuthError } from './http/auth-error.ts'
export { request, type HttpResponse, type RequestOptions } from './http/request.ts'
export type { SessionState } from './session/machine.ts'
export type { Session } from './session/session.ts'
export type { SessionStorageAdapter, StorageChoice } from './session/storage.ts'
export type { Token } from './session/token.ts'
export type { RolesClaim } from './session/roles.ts'
export type { IsRejected } from './session/refresh-failure.ts'
