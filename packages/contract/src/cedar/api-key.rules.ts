/** Prefix of every generated API key, by which secret scanners recognise one. */
export const apiKeyPrefix = 'grove_api_'

export const maxApiKeyNameLength = 60
/** Days until a key expires; null creates one without expiry. */
export const apiKeyDays = [30, 90, 365] as const
export const maxApiKeyDays = 3650
/** Maximum concurrently valid keys of one provider. */
export const maxApiKeys = 20
/** Days before its expiry in which a key is shown as expiring soon. */
export const apiKeyWarningDays = 14
