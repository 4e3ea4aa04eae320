export const maxNameLength = 100

/** The maximum length of an address (RFC 5321). */
export const maxEmailLength = 254

/** The roles that a person can choose when they sign up. */
export const signUpRoles = ['CUSTOMER', 'DEVELOPER'] as const
export type SignUpRole = (typeof signUpRoles)[number]
export const defaultSignUpRole: SignUpRole = 'CUSTOMER'

export const accountStates = ['enabled', 'disabled'] as const
export type AccountState = (typeof accountStates)[number]
