export { createAuthClient } from './client.ts'
export type {
  AuthClient,
  AuthClientOptions,
  AuthenticatedRequestInit,
  CompleteExternalLoginOptions,
  ExternalLoginAnswer,
  ExternalLoginInfo,
  StartExternalLoginOptions,
  TokenDetails,
  VerificationOptions,
} from './types.ts'
export { ExternalLoginError, type ExternalLoginErrorCode } from './sign-in/external-login-error.ts'
export { HttpError, type HttpErrorCode } from './http/http-error.ts'
export { request, type HttpResponse, type RequestOptions } from './http/request.ts'
export type { SessionState } from './session/machine.ts'
export type { Session } from './session/session.ts'
export type { SessionStorageAdapter, StorageChoice } from './session/storage.ts'
export type { Token } from './session/token.ts'
export { hasDashboardAccess, isAdmin, isDeveloper } from './session/roles.ts'
export {
  isBearerToken,
  isEmail,
  isLinkId,
  isPassword,
  isUuid,
  passwordRules,
  type PasswordRules,
} from './validators.ts'
