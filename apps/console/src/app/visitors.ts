export const files = import.meta.glob(
  ['../routes/_app/*.tsx', '../routes/_app/login/*.tsx', '!../routes/_app/dashboard.tsx'],
  { eager: true, import: 'Route' },
)
