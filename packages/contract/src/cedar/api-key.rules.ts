/** What every API key begins with that the platform made, so that scanners of published secrets know one. */
export const apiKeyPrefix = 'grove_api_'

export const maxApiKeyNameLength = 60
/** Days until a key ends; one without an end is made by sending null. */
export const apiKeyDays = [30, 90, 365] as const
export const maxApiKeyDays = 3650
/** Keys of one provider that work at once. */
export const maxApiKeys = 20
/** A key is shown as about to end for so many days. */
export const apiKeyWarningDays = 14
