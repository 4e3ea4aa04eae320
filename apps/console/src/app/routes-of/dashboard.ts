export const files = import.meta.glob(
  [
    '../../routes/_app/dashboard.tsx',
    '../../routes/_app/dashboard/*.tsx',
    '!../../routes/_app/dashboard/iot.tsx',
  ],
  { eager: true, import: 'Route' },
)
