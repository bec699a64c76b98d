#include <stdio.h>
/* Statements that do not fit into a line. */
void long_lines(int number_of_elements, const double *first_array, const double *second_array, double *result)
{
    for (int index = 0; index < number_of_elements; index++) {
        result[index] = first_array[index] * second_array[index] + first_array[index] * result[index] - second_array[index];
        const double a_long_name_for_a_value = first_array[index] > second_array[index] ? first_array[index] : second_array[index];
        printf("%d: a text, with commas, that is far too long - and has operators + like these : %g %g\n", index, result[index], a_long_name_for_a_value);
        if (index > 0)
            printf("%s, %c\n", "a text that would have to be broken, but cannot be, as it is one word of C", ',');
    }
}
