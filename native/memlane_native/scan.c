/* Scans one-bit codes of vectors with a table made of the query, and multiplies chosen rows with it in full.

   A code has one bit for each number of a vector, 1 where it is above 0. Rows lie in blocks of 32: byte b of row r of a
   block is at 32 b + r, so that one instruction looks up four numbers of 32 rows at once (the fast scan of product
   quantisation: Andre, Kermarrec, Le Scouarnec, "Cache locality is not enough", VLDB 2015). The table has 16 entries
   for each four numbers: what the query gains where these bits are set.

   Only for x86-64 with AVX2. Elsewhere numpy does the same sums: plain C is no quicker than it. With AVX-512 it was a
   tenth quicker where the codes were in the processor's cache, and no quicker where they were not. */

#include <stdint.h>
#include <stdlib.h>

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,fma")))

#define ROWS 32
/* Rows lie anywhere: their memory is asked for so many rows before it is read. */
#define AHEAD 4
/* Codes are read one after the other, quicker than the processor asks for them by itself. */
#define CODES_AHEAD 1536

/* The best rows so far: `least` is the lowest score that may still be among the best, so that it rises with every row
   that is. Rows come in ascending order: a later one of the same score is not better than those that fill the places. */
struct best {
    uint64_t *keys; /* the score above the row's number, in ascending order of the rows */
    uint32_t *seen; /* how many of the kept rows had each score */
    int64_t count, room, most;
    int64_t above; /* kept rows of `least` or more */
    uint32_t least, highest;
};

/* Drops what is not among the best any more; what scores just below `least` may be needed to fill the places. */
static void drop_worse(struct best *best)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < best->count; i++) {
        best->keys[kept] = best->keys[i];
        kept += (uint32_t)(best->keys[i] >> 32) + 1 >= best->least;
    }
    best->count = kept;
}

static void add_rows(struct best *best, const uint16_t *scores, uint32_t rows, uint32_t first)
{
    if (best->count + ROWS > best->room)
        drop_worse(best);
    while (rows) {
        int row = __builtin_ctz(rows);
        rows &= rows - 1;
        uint32_t score = scores[row];
        if (score < best->least)
            continue;
        best->keys[best->count++] = (uint64_t)score << 32 | (first + (uint32_t)row);
        best->seen[score]++;
        best->above++;
        while (best->above >= best->most)
            best->above -= best->seen[best->least++];
    }
}

/* Writes the rows of the best: all that are above the last score that is let in, and of that one the first. */
static int64_t write_best(const struct best *best, int64_t *found)
{
    int64_t count = 0, equal = best->most - best->above;
    for (int64_t i = 0; i < best->count; i++) {
        uint32_t score = (uint32_t)(best->keys[i] >> 32);
        if (score >= best->least || (score + 1 == best->least && equal-- > 0))
            found[count++] = (uint32_t)best->keys[i];
    }
    return count;
}

static uint32_t wanted_rows(const uint8_t *mask, int64_t left)
{
    uint32_t rows = 0;
    for (int row = 0; row < ROWS && row < left; row++)
        rows |= (uint32_t)(mask[row] != 0) << row;
    return rows;
}

/* Takes a block whose sums are done. Each 16 bits of `both` have added a pair of rows, the first with what it carries
   into the second; `second` has added the second alone, and taking it off leaves the first. */
AVX2 static inline void take_block(struct best *best, __m256i both, __m256i second, uint32_t rows, int64_t first)
{
    __m256i before = _mm256_sub_epi16(both, _mm256_slli_epi16(second, 8));
    __m256i least = _mm256_set1_epi16((short)best->least);
    __m256i first_in = _mm256_cmpeq_epi16(_mm256_max_epu16(before, least), before);
    __m256i second_in = _mm256_cmpeq_epi16(_mm256_max_epu16(second, least), second);
    rows &= (uint32_t)_mm256_movemask_epi8(_mm256_blendv_epi8(second_in, first_in, _mm256_set1_epi16(255)));
    if (!rows)
        return;
    uint16_t firsts[ROWS / 2], seconds[ROWS / 2], scores[ROWS];
    _mm256_storeu_si256((__m256i *)firsts, before);
    _mm256_storeu_si256((__m256i *)seconds, second);
    for (int pair = 0; pair < ROWS / 2; pair++) {
        scores[2 * pair] = firsts[pair];
        scores[2 * pair + 1] = seconds[pair];
    }
    add_rows(best, scores, rows, (uint32_t)first);
}

AVX2 static void scan(const uint8_t *codes, int64_t count, int64_t bytes, const uint8_t *table, const uint8_t *mask,
                      struct best *best)
{
    const __m256i nibble = _mm256_set1_epi8(15);
    for (int64_t first = 0; first < count && best->least <= best->highest; first += ROWS, codes += ROWS * bytes) {
        uint32_t rows;
        if (count - first >= ROWS)
            rows = ~(uint32_t)_mm256_movemask_epi8(
                _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)(mask + first)), _mm256_setzero_si256()));
        else
            rows = wanted_rows(mask + first, count - first);
        if (!rows)
            continue;
        __m256i both = _mm256_setzero_si256(), second = _mm256_setzero_si256();
        for (int64_t byte = 0; byte < bytes; byte++) {
            const __m128i *entries = (const __m128i *)(table + 32 * byte);
            _mm_prefetch((const char *)codes + ROWS * byte + CODES_AHEAD, _MM_HINT_T0);
            __m256i code = _mm256_loadu_si256((const __m256i *)(codes + ROWS * byte));
            __m256i low = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_loadu_si128(entries)),
                                              _mm256_and_si256(code, nibble));
            __m256i high = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_loadu_si128(entries + 1)),
                                               _mm256_and_si256(_mm256_srli_epi16(code, 4), nibble));
            /* Two entries of the table fit a byte. */
            __m256i gain = _mm256_add_epi8(low, high);
            both = _mm256_add_epi16(both, gain);
            second = _mm256_add_epi16(second, _mm256_srli_epi16(gain, 8));
        }
        take_block(best, both, second, rows, first);
    }
}

/* Returns the highest score that a code can have. */
static uint32_t highest_score(const uint8_t *table, int64_t bytes)
{
    uint32_t sum = 0;
    for (int64_t part = 0; part < 2 * bytes; part++) {
        uint8_t most = 0;
        for (int entry = 0; entry < 16; entry++)
            most = table[16 * part + entry] > most ? table[16 * part + entry] : most;
        sum += most;
    }
    return sum < UINT16_MAX ? sum : UINT16_MAX;
}

AVX2 static float dot(const float *a, const float *b, int64_t dimension)
{
    __m256 sums[4] = {_mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps()};
    int64_t i = 0;
    for (; i + 32 <= dimension; i += 32)
        for (int lane = 0; lane < 4; lane++)
            sums[lane] = _mm256_fmadd_ps(_mm256_loadu_ps(a + i + 8 * lane), _mm256_loadu_ps(b + i + 8 * lane),
                                         sums[lane]);
    float lanes[8], sum = 0;
    _mm256_storeu_ps(lanes, _mm256_add_ps(_mm256_add_ps(sums[0], sums[1]), _mm256_add_ps(sums[2], sums[3])));
    for (int lane = 0; lane < 8; lane++)
        sum += lanes[lane];
    for (; i < dimension; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Says what the functions take: see INTERFACE in store/native.py. */
int memlane_interface(void)
{
    return 1;
}

/* Says whether this processor can run the rest: 1 or 0. */
int memlane_supported(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

/* Finds the rows whose codes a query likes best.

   codes: blocks of 32 rows, each 32 * bytes; the last may be partly used.
   count: rows, less than 2^32.
   bytes: of one code.
   table: 2 * bytes rows of 16 entries, each 0..127; what one code can gain in all is at most 65535.
   mask: one byte for each row, 0 for those that are not wanted.
   most: how many are found at most, 1 or more.
   found: the slots, ascending; room for `most`.

   Returns how many were found: `most`, or all that are wanted; -1 when there was no memory. */
int64_t memlane_scan(const uint8_t *codes, int64_t count, int64_t bytes, const uint8_t *table, const uint8_t *mask,
                     int64_t most, int64_t *found)
{
    struct best best = {.most = most, .room = 4 * most + 1024, .highest = highest_score(table, bytes)};
    best.keys = malloc((size_t)best.room * sizeof *best.keys);
    best.seen = calloc((size_t)best.highest + 1, sizeof *best.seen);
    int64_t written = -1;
    if (best.keys && best.seen) {
        scan(codes, count, bytes, table, mask, &best);
        written = write_best(&best, found);
    }
    free(best.keys);
    free(best.seen);
    return written;
}

/* Multiplies rows of a matrix with a query.

   vectors: rows of `dimension` numbers.
   slots: which rows, `count` of them.
   products: one for each. */
void memlane_dots(const float *vectors, int64_t dimension, const int64_t *slots, int64_t count, const float *query,
                  float *products)
{
    for (int64_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            for (int64_t number = 0; number < dimension; number += 16)
                __builtin_prefetch(vectors + slots[i + AHEAD] * dimension + number);
        products[i] = dot(vectors + slots[i] * dimension, query, dimension);
    }
}
