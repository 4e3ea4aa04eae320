export const maxNameLength = 100

/** The maximum length of an address (RFC 5321). */
export const maxEmailLength = 254

/** The roles that a person can choose when they sign up. */
export const signUpRoles = ['CUSTOMER', 'DEVELOPER'] as const
export type SignUpRole = (typeof signUpRoles)[number]
export const defaultSignUpRole: SignUpRole = 'CUSTOMER'

/** The roles of an account, which has exactly one of them. */
export const accountRoles = ['CUSTOMER', 'DEVELOPER', 'ADMIN'] as const
export type AccountRole = (typeof accountRoles)[number]

/** The maximum number of accounts that one call can name. */
export const maxNamedAccounts = 100

export const accountStates = ['enabled', 'disabled'] as const
export type AccountState = (typeof accountStates)[number]
