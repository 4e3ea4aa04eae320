/// <reference types="vite/client" />

declare module '*.po?page' {
  import type { Messages } from '@lingui/core'
  export const messages: Messages
}

declare module 'virtual:guides' {
  export const guides: unknown
}
