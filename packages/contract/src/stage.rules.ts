/** The header of a request that names the provider to work for. */
export const stageHeader = 'working-stage'

/** Characters of an API key. */
export const shortestApiKey = 32
export const maxApiKeyLength = 128
