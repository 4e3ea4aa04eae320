/// <reference types="vite/client" />

declare module '*.po?page' {
  import type { Messages } from '@lingui/core'
  export const messages: Messages
}
