export const accountBulkActions = ['grant', 'revoke', 'setExpiry'] as const
export type AccountBulkAction = (typeof accountBulkActions)[number]

/** As many ids as a request can hold. */
export const maxBulkAccounts = 3_000
