// Arithmetic that tells a number of a certain kind from any other number of the same length.

/** Cards, and the Swedish personal number. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i += 1) {
    const digit = Number(digits[digits.length - 1 - i]);
    sum += i % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2;
  }
  return sum % 10 === 0;
}

/** The remainder of a number too long for a double. */
function remainder(digits: string, modulus: number): number {
  let rest = 0;
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % modulus;
  return rest;
}

const CARD_ISSUERS: readonly { readonly digits: RegExp; readonly lengths: readonly number[] }[] = [
  { digits: /^4/, lengths: [13, 16, 19] },
  { digits: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, lengths: [16] },
  { digits: /^3[47]/, lengths: [15] },
  { digits: /^(?:6011|64[4-9]|65)/, lengths: [16, 19] },
  { digits: /^35(?:2[89]|[3-8])/, lengths: [16] },
  { digits: /^3(?:0[0-5]|6|8)/, lengths: [14] },
  { digits: /^62/, lengths: [16, 17, 18, 19] },
];

export function isCardNumber(digits: string): boolean {
  const issued = CARD_ISSUERS.some(
    (issuer) => issuer.digits.test(digits) && issuer.lengths.includes(digits.length),
  );
  return issued && passesLuhn(digits) && !/^(\d)\1+$/.test(digits);
}

/** The length of each country's IBAN. */
const IBAN_LENGTHS: Readonly<Record<string, number>> = Object.fromEntries(
  (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18 " +
    "FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 " +
    "MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27 ST25 " +
    "SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/** How many characters the IBAN at the beginning of `compact` (no spaces, capitals) has; 0: there is none. */
export function ibanLength(compact: string): number {
  const length = IBAN_LENGTHS[compact.slice(0, 2)] ?? 0;
  if (length === 0 || compact.length < length) return 0;
  const turned = compact.slice(4, length) + compact.slice(0, 4);
  const digits = turned.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return /^\d+$/.test(digits) && remainder(digits, 97) === 1 ? length : 0;
}

export function isSocialSecurityNumber(text: string): boolean {
  const [area = "", group, serial] = text.split("-");
  return area !== "000" && area !== "666" && !area.startsWith("9") && group !== "00" && serial !== "0000";
}

/** United Kingdom: no checksum, but many prefixes are never given out. */
export function isNationalInsuranceNumber(compact: string): boolean {
  return /^(?!BG|GB|KN|NK|NT|TN|ZZ)[ABCEGHJ-PRSTW-Z][ABCEGHJ-NPRSTW-Z]\d{6}[A-D]$/.test(compact);
}

/** Spain: DNI, or NIE with X, Y or Z for the first digit. */
export function isSpanishId(compact: string): boolean {
  const digits = compact.slice(0, -1).replace(/^[XYZ]/, (letter) => String("XYZ".indexOf(letter)));
  return /^\d{8}$/.test(digits) && "TRWAGMYFPDXBNJZSQVHLCKE"[Number(digits) % 23] === compact.at(-1);
}

/** France: the number, then 97 less its remainder. Corsica counts as 19 and 18. */
export function isFrenchId(compact: string): boolean {
  if (!/^[12]\d{2}(?:0[1-9]|1[0-2]|[2-9]\d)(?:\d{2}|2[AB])\d{8}$/.test(compact)) return false;
  const digits = compact.replace("2A", "19").replace("2B", "18");
  return 97 - remainder(digits.slice(0, 13), 97) === Number(digits.slice(13));
}

const ODD_PLACES = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
];

/** Italy: codice fiscale. */
export function isItalianId(compact: string): boolean {
  if (!/^[A-Z]{6}\d{2}[A-EHLMPR-T]\d{2}[A-Z]\d{3}[A-Z]$/.test(compact)) return false;
  let sum = 0;
  for (let i = 0; i < 15; i += 1) {
    const code = compact.charCodeAt(i);
    const value = code < 65 ? code - 48 : code - 65;
    sum += i % 2 === 0 ? (ODD_PLACES[value] ?? 0) : value;
  }
  return String.fromCharCode(65 + (sum % 26)) === compact[15];
}

/** Belgium: 97 less the remainder, for those born since 2000 with a 2 in front. */
export function isBelgianId(digits: string): boolean {
  const check = Number(digits.slice(9));
  return [digits.slice(0, 9), `2${digits.slice(0, 9)}`].some(
    (number) => 97 - remainder(number, 97) === check,
  );
}

/** Finland: a letter or digit by the remainder by 31. */
export function isFinnishId(text: string): boolean {
  const digits = text.slice(0, 6) + text.slice(7, 10);
  return "0123456789ABCDEFHJKLMNPRSTUVWXY"[Number(digits) % 31] === text[10];
}

/** Poland: PESEL. */
export function isPolishId(digits: string): boolean {
  const weights = [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1];
  return weights.reduce((sum, weight, i) => sum + weight * Number(digits[i]), 0) % 10 === 0;
}

/** The Netherlands: BSN, the test of eleven. */
export function isDutchId(digits: string): boolean {
  const weights = [9, 8, 7, 6, 5, 4, 3, 2, -1];
  return weights.reduce((sum, weight, i) => sum + weight * Number(digits[i]), 0) % 11 === 0;
}

/** Germany: tax number, ISO 7064 mod 11,10. */
export function isGermanTaxId(digits: string): boolean {
  let product = 10;
  for (const digit of digits.slice(0, 10)) {
    const sum = (Number(digit) + product) % 10;
    product = ((sum === 0 ? 10 : sum) * 2) % 11;
  }
  return (11 - product) % 10 === Number(digits[10]);
}
