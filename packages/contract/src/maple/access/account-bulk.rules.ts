export const accountBulkActions = ['grant', 'revoke', 'setExpiry'] as const
export type AccountBulkAction = (typeof accountBulkActions)[number]

/** The number of ids that fit into a request. */
export const maxBulkAccounts = 3_000
