// Its index warns everyone on Node 20 that only Node 22 is supported; the parts are the same.
declare module 'oidc-provider/lib/provider.js' {
  export { default as Provider } from 'oidc-provider'
}

declare module 'oidc-provider/lib/helpers/interaction_policy/index.js' {
  import type { interactionPolicy } from 'oidc-provider'

  export const base: typeof interactionPolicy.base
  export const Prompt: typeof interactionPolicy.Prompt
}

declare module 'oidc-provider/lib/adapters/memory_adapter.js' {
  import type { AdapterFactory } from 'oidc-provider'

  /** An LRU of a thousand entries. */
  export function createMemoryAdapter(): AdapterFactory
}
